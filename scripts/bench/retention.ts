/**
 * The bars of retention: compacting rows past their retention takes at most five times as long as only
 * deleting them in the same pages, compacted rows have a fraction of the size, and every report stays the
 * same. Half a year of deliveries and events, BENCH_ROWS (1,000,000 if unset) of each in the whole year.
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
const kinds = [
  { what: "deliveries", table: "delivery", compacted: "compacted_delivery", column: "settled_at" },
  { what: "events", table: "geofence_event", compacted: "compacted_event", column: "occurred_at" },
] as const;

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now();
    const result = yield* effect;
    return { result, seconds: (performance.now() - began) / 1000 };
  });

/** Deletes a tenth of the rows in the pages of a compaction, and rolls each page back. Gives their number. */
const onlyDelete = Effect.fnUntraced(function* ({ column, table }: (typeof kinds)[number]) {
  const sql = yield* SqlClient.SqlClient;
  const mine = sql`workspace_id = 1 AND environment = 'production'`;
  let deleted = 0;
  for (let fromMs = 0; deleted < rows / 10;) {
    const [next] = yield* sql<{ readonly at: number }>`
      SELECT floor(extract(epoch FROM ${sql(column)}) * 1000)::float8 AS at FROM ${sql(table)}
      WHERE ${mine} AND ${sql(column)} >= ${new Date(fromMs)} ORDER BY ${sql(column)} OFFSET ${page} LIMIT 1`;
    const toMs = next?.at ?? Date.now();
    yield* sql`BEGIN`;
    const gone = yield* sql`
      DELETE FROM ${sql(table)}
      WHERE ${mine} AND ${sql(column)} >= ${new Date(fromMs)} AND ${sql(column)} < ${new Date(toMs)}
        RETURNING 1`;
    yield* sql`ROLLBACK`;
    deleted += gone.length;
    fromMs = toMs;
  }
  return deleted;
});

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { compact } = yield* Retention;
  const reports = yield* Reports;
  const { step } = yield* Rollups;
  const devices = Math.max(1000, rows / 20);
  yield* buildReportYear({ rows, devices, campaigns: 200, locations: 2000, timezone });
  const rollUp = timed(
    Effect.gen(function* () {
      while (yield* step);
    }),
  );
  const first = yield* rollUp;
  const tenant = { workspaceId: 1, environment: "production", workspace: { timezone } } as unknown as Tenant;
  const dayAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
  const answers = Effect.forEach(
    ["summary", "campaigns", "locations", "notifications", "surveys"] as const,
    (report) => reports[report](tenant, { start: dayAgo(364), end: dayAgo(0) }),
  );
  let misses = 0;
  const say = (name: string, figure: string, isMet: boolean) => {
    if (!isMet) misses++;
    console.log(`${name.padEnd(40)} ${figure.padEnd(64)} ${isMet ? "" : "missed"}`);
  };

  const before = yield* answers;
  const verify = Effect.fnUntraced(function* (name: string, figure = "") {
    const isSame = (yield* answers).every((answer, index) => answer === before[index]);
    say(name, `${figure}${isSame ? "the same as before" : "NOT THE SAME"}`, isSame);
  });
  const cut = Math.floor(Date.now() / DAY - 180) * DAY;
  for (const kind of kinds) {
    const { column, compacted, table, what } = kind;
    const [old] = yield* sql<{ readonly bytes: number }>`
      SELECT pg_total_relation_size(${table})::float8 / ${rows} AS bytes`;
    const deleting = yield* timed(onlyDelete(kind));
    const compacting = yield* timed(compact(what, cut));
    const [rate, deleteRate] = [compacting, deleting].map(({ result, seconds }) => result / seconds);
    const times = (deleteRate ?? 0) / (rate ?? 1);
    say(
      `${what}: compacted`,
      `${compacting.result} rows, ${rate?.toFixed(0)}/s; only deleted ${deleteRate?.toFixed(0)}/s: ` +
        `${times.toFixed(2)} times (bar: ${bars.times})`,
      times <= bars.times,
    );
    const [size] = yield* sql<{ readonly bytes: number; readonly left: number }>`
      SELECT pg_total_relation_size(${compacted})::float8 / ${compacting.result} AS bytes,
        (SELECT count(*)::float8 FROM ${sql(table)} WHERE ${sql(column)} < ${new Date(cut)}) AS left`;
    const share = (size?.bytes ?? 0) / (old?.bytes ?? 1);
    say(
      `${what}: size of a row`,
      `${old?.bytes.toFixed(0)} bytes, compacted ${size?.bytes.toFixed(1)}: ${share.toFixed(3)} ` +
        `(bar: ${bars[what]}); ${size?.left} rows wait`,
      share <= bars[what],
    );
  }
  yield* verify("the five reports of 365 days");
  yield* sql`UPDATE rollup_state SET timezone = 'UTC'`;
  yield* verify("the same over source rows");
  yield* sql`UPDATE rollup_state SET timezone = ''`;
  const again = yield* rollUp;
  yield* verify(
    "the same after a rebuild",
    `${again.seconds.toFixed(1)} s, before ${first.seconds.toFixed(1)} s, `,
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
