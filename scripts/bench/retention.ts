/**
 * The bars of retention: packing rows that are past their time takes at most five times as long as only deleting them in the same pages,
 * packed rows are a fraction of the size, and every report says what it said. Half a year of deliveries
 * and events, BENCH_ROWS (1,000,000 unless told) of each in the whole year.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Reports } from "../../src/reports/Reports.ts";
import { Retention } from "../../src/reports/retention/Retention.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { benchClient, onSchema } from "./BenchDatabase.ts";
import { buildReportYear } from "./ReportYear.ts";

const rows = Number(process.env["BENCH_ROWS"] ?? 1_000_000);
const timezone = "Europe/Amsterdam";
const DAY = 86_400_000;
const page = 10_000;
const bars = { times: 5, deliveries: 0.1, events: 0.2 };
const tables = {
  deliveries: { table: "delivery", packed: "compacted_delivery", column: "settled_at" },
  events: { table: "geofence_event", packed: "compacted_event", column: "occurred_at" },
} as const;

const seconds = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now();
    const result = yield* effect;
    return { result, taken: (performance.now() - began) / 1000 };
  });

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { pack } = yield* Retention;
  const reports = yield* Reports;
  const rollups = yield* Rollups;
  yield* buildReportYear({
    rows,
    devices: Math.max(1000, rows / 20),
    campaigns: 200,
    places: 2000,
    timezone,
  });
  const rollup = seconds(
    Effect.gen(function* () {
      while (yield* rollups.step);
    }),
  );
  const once = yield* rollup;
  const tenant = { workspaceId: 1, environment: "production", workspace: { timezone } } as unknown as Tenant;
  const day = (ago: number) => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10);
  const said = Effect.forEach(
    ["summary", "campaigns", "locations", "notifications", "surveys"] as const,
    (report) => reports[report](tenant, { start: day(364), end: day(0) }),
  );
  let misses = 0;
  const say = (name: string, figure: string, isMet: boolean) => {
    if (!isMet) misses++;
    console.log(`${name.padEnd(40)} ${figure.padEnd(64)} ${isMet ? "" : "missed"}`);
  };

  const before = yield* said;
  const cut = Math.floor(Date.now() / DAY - 180) * DAY;
  for (const [name, { column, packed, table }] of Object.entries(tables)) {
    const what = name as keyof typeof tables;
    const [was] = yield* sql<{ readonly each: number }>`
      SELECT pg_total_relation_size(${table})::float8 / ${rows} AS each`;
    // Rolled back, so that the rows are there for the packing; as it deletes by a page's index range, so does this.
    const bare = yield* seconds(
      Effect.gen(function* () {
        let gone = 0;
        for (let fromMs = 0; gone < rows / 10;) {
          const [next] = yield* sql<{ readonly at: number }>`
            SELECT floor(extract(epoch FROM ${sql(column)}) * 1000)::float8 AS at FROM ${sql(table)}
            WHERE workspace_id = 1 AND environment = 'production' AND ${sql(column)} >= ${new Date(fromMs)}
            ORDER BY ${sql(column)} OFFSET ${page} LIMIT 1`;
          const toMs = next?.at ?? Date.now();
          yield* sql`BEGIN`;
          const rowsGone = yield* sql`
            DELETE FROM ${sql(table)} WHERE workspace_id = 1 AND environment = 'production'
              AND ${sql(column)} >= ${new Date(fromMs)} AND ${sql(column)} < ${new Date(toMs)} RETURNING 1`;
          yield* sql`ROLLBACK`;
          gone += rowsGone.length;
          fromMs = toMs;
        }
        return gone;
      }),
    );
    const packing = yield* seconds(pack(what, cut));
    const rates = [packing, bare].map(({ result, taken }) => result / taken);
    const times = (rates[1] ?? 0) / (rates[0] ?? 1);
    say(
      `${name}: packed`,
      `${packing.result} rows, ${rates[0]?.toFixed(0)}/s; only deleted ${rates[1]?.toFixed(0)}/s: ${times.toFixed(2)} times (bar: ${bars.times})`,
      times <= bars.times,
    );
    const [size] = yield* sql<{ readonly each: number; readonly left: number }>`
      SELECT pg_total_relation_size(${packed})::float8 / ${packing.result} AS each,
        (SELECT count(*)::float8 FROM ${sql(table)} WHERE ${sql(column)} < ${new Date(cut)}) AS left`;
    const part = (size?.each ?? 0) / (was?.each ?? 1);
    say(
      `${name}: size of a row`,
      `${was?.each.toFixed(0)} bytes, packed ${size?.each.toFixed(1)}: ${part.toFixed(3)} (bar: ${bars[what]}); ${size?.left} wait`,
      part <= bars[what],
    );
  }
  const isSame = (yield* said).every((answer, place) => answer === before[place]);
  say("the five reports of 365 days", isSame ? "the same as before" : "NOT THE SAME", isSame);
  yield* sql`UPDATE rollup_state SET timezone = 'UTC'`;
  const isSamePlain = (yield* said).every((answer, place) => answer === before[place]);
  say("the same, row by row", isSamePlain ? "the same as before" : "NOT THE SAME", isSamePlain);
  yield* sql`UPDATE rollup_state SET timezone = ''`;
  const anew = yield* rollup;
  const isSameAnew = (yield* said).every((answer, place) => answer === before[place]);
  say(
    "the same, rolled up anew",
    `${anew.taken.toFixed(1)} s, before ${once.taken.toFixed(1)} s, ${isSameAnew ? "the same as before" : "NOT THE SAME"}`,
    isSameAnew,
  );
  if (misses > 0) process.exitCode = 1;
});

const directory = mkdtempSync(join(tmpdir(), "waypost-bench-"));
const services = onSchema(
  Layer.mergeAll(Reports.layer, Rollups.layer, Retention.layer),
  benchClient(directory, { max_wal_size: "4GB" }),
);

NodeRuntime.runMain(
  bench.pipe(
    Effect.provide(services),
    Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true, force: true }))),
    Effect.scoped,
  ),
);
