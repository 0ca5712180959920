import { Layer } from "effect";
import { inject } from "vitest";
import { WorkspaceChanges } from "../../src/database/WorkspaceChanges.ts";
import { memoryDatabase, MemoryStore } from "./MemoryStore.ts";
import { sqlRepositories } from "../../src/Repositories.ts";
import { memoryRepositories } from "./MemoryRepositories.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { TestRows } from "../TestRows.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The store of the project's repositories. */
    readonly store: "memory" | "postgres";
  }
}

/** Every repository with two implementations, in memory and with tables of its own. */
export const memoryLayer = Layer.mergeAll(
  memoryRepositories,
  WorkspaceChanges.layerMemory,
  TestRows.layerMemory,
).pipe(Layer.provideMerge(memoryDatabase), Layer.provideMerge(MemoryStore.layer));

/** The same on PostgreSQL, in a database of its own. */
const postgresLayer = Layer.mergeAll(sqlRepositories, WorkspaceChanges.layer, TestRows.layerSql).pipe(
  Layer.provideMerge(TestDatabase.layer),
);

type Repositories = Exclude<Layer.Success<typeof memoryLayer>, MemoryStore>;

/** The repositories as the Vitest project has them: project `fast` in memory, `service` on PostgreSQL. */
export const TestRepositories = {
  layer: Layer.suspend((): Layer.Layer<Repositories> =>
    inject("store") === "memory" ? memoryLayer : postgresLayer,
  ),
};
