// scratch: rebuild profile against the kept database
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { EmbeddedPostgres } from "/work/wt/reports/src/database/EmbeddedPostgres.ts";
import { postgresLayer } from "/work/wt/reports/src/database/Postgres.ts";
import { readFileSync } from "node:fs";
const client = Layer.unwrap(Effect.map(EmbeddedPostgres.make({ directory: "/tmp/reports-bench", settings: { max_wal_size: "4GB" } }),
  ({ database, socketPath, username }) => postgresLayer({ _tag: "socket", path: socketPath, username, database }, { maxConnections: 1 })));
const run = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`SET statement_timeout = 0`.unprepared;
  const text = readFileSync(0, "utf8");
  for (const stmt of text.split(/;\s*\n/)) {
    if (stmt.trim() === "") continue;
    const t = performance.now();
    const rows = yield* sql`${sql.literal(stmt)}`.unprepared;
    console.log("--", stmt.trim().slice(0, 100).replace(/\s+/g, " "), (performance.now() - t).toFixed(0) + " ms");
    for (const r of rows.slice(0, 60)) { const v = Object.values(r as object); console.log(v.map((x) => x instanceof Uint8Array ? `bytes ${x.length}` : typeof x === "bigint" ? String(x) : x).join(" | ")); }
  }
});
NodeRuntime.runMain(run.pipe(Effect.provide(client), Effect.scoped));
