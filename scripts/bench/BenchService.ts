/** A Waypost process on an embedded PostgreSQL of its own, for benchmarks that measure sends. */
import { Effect, References } from "effect";
import { SqlClient } from "effect/sql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { started } from "./BenchChild.ts";
import { databaseUrl } from "./BenchDatabase.ts";

export const operatorKey = "bench-operator-key-of-all-processes";

/** A created resource: its id, or a credential that is shown once. */
interface Created {
  readonly id: string;
  readonly token: string;
  readonly sdk_key: string;
  readonly device_token: string;
}

/** Makes a change over HTTP. Any error of the service is a defect. */
export const post = (url: string, token: string, body: object, method: "POST" | "PUT" | "PATCH" = "POST") =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    const { data, error } = (await answer.json()) as { readonly data: Created; readonly error?: unknown };
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return data;
  });

/**
 * Runs a benchmark beside a process with every role, or beside so many request processes and a worker. Its
 * client of the database has no statement timeout.
 */
export const withService = <E, R>(
  bench: (origin: string, pid: number) => Effect.Effect<void, E, R>,
  processes = 1,
) =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "waypost-bench-"));
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })));
    const { database, socketPath, username } = yield* EmbeddedPostgres.make({ directory: folder });
    const waypost = yield* started(
      [new URL("../../src/main.ts", import.meta.url).pathname, "serve"],
      {
        PATH: process.env["PATH"] ?? "",
        NODE_ENV: "production",
        PORT: "0",
        WAYPOST_PROCESSES: String(processes),
        WAYPOST_DATA_DIR: join(folder, "data"),
        WAYPOST_OPERATOR_KEY: operatorKey,
        WAYPOST_LOG_FORMAT: "json",
        DATABASE_URL: databaseUrl({ database, socketPath, username }),
      },
      join(folder, "waypost.log"),
    );
    const client = postgresLayer(
      { _tag: "socket", path: socketPath, username, database },
      { maxConnections: 1 },
    );
    yield* Effect.provide(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        yield* sql`SET statement_timeout = 0`.unprepared;
        yield* bench(waypost.origin, waypost.child.pid ?? 0);
      }),
      client,
    );
  }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"));

/** An import of one location. */
export const oneStore = {
  type: "FeatureCollection",
  features: [
    {
      type: "Feature",
      geometry: { type: "Point", coordinates: [4.9, 52.37] },
      properties: { name: "Store", radius: 100 },
    },
  ],
};
