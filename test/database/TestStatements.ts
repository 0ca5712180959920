import { Layer } from "effect";
import { sqlLayers } from "../../src/SqlLayers.ts";
import { TestRows } from "../TestRows.ts";
import { TestDatabase } from "./TestDatabase.ts";

/** The statements that services share, in a database of their own. */
export const TestStatements = {
  layer: Layer.merge(sqlLayers, TestRows.layer).pipe(Layer.provideMerge(TestDatabase.layer)),
};
