/**
 * The bars of retention: compacting rows past their retention takes at most five times as long as only
 * deleting them in the same pages, compacted rows have a fraction of the size, and every report stays the
 * same. Half a year of deliveries and events, BENCH_ROWS (1,000,000 if unset) of each in the whole year.
 */
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { Reports } from "../../src/reports/Reports.ts";
import { Retention } from "../../src/reports/retention/Retention.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { onSchema } from "./BenchDatabase.ts";
import { runBench } from "./BenchWorld.ts";
import { buildReportYear, yearOf } from "./ReportYear.ts";
import { dayFromNow } from "./ServiceApi.ts";
import { figure, setting, timed } from "./Rounds.ts";

const rows = setting("ROWS", 1_000_000);
const timezone = "Europe/Amsterdam";
const DAY = 86_400_000;
const page = 10_000;
const bars = { times: 5, deliveries: 0.1, events: 0.2 };
const kinds = [
  { what: "deliveries", table: "delivery", compacted: "compacted_delivery", column: "settled_at" },
  { what: "events", table: "geofence_event", compacted: "compacted_event", column: "occurred_at" },
] as const;

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
  yield* buildReportYear(yearOf(rows));
  const rollUp = timed(
    Effect.gen(function* () {
      while (yield* step);
    }),
  );
  const first = yield* rollUp;
  const tenant = { workspaceId: 1, environment: "production", workspace: { timezone } } as unknown as Tenant;
  const answers = Effect.forEach(
    ["summary", "campaigns", "locations", "notifications", "surveys"] as const,
    (report) => reports[report](tenant, { start: dayFromNow(-364), end: dayFromNow(0) }),
  );
  const before = yield* answers;
  const verify = Effect.fnUntraced(function* (what: string) {
    const isSame = (yield* answers).every((answer, index) => answer === before[index]);
    if (!isSame) return yield* Effect.die(new Error(`The reports differ ${what}.`));
  });
  const cut = Math.floor(Date.now() / DAY - 180) * DAY;
  for (const kind of kinds) {
    const { compacted, table, what } = kind;
    const [old] = yield* sql<{ readonly bytes: number }>`
      SELECT pg_total_relation_size(${table})::float8 / ${rows} AS bytes`;
    const deleting = yield* timed(onlyDelete(kind));
    const compacting = yield* timed(compact(what, cut));
    const [own = 0, bare = 0] = [compacting, deleting].map(({ result, seconds }) => result / seconds);
    figure(what, `${what} compacted`, "a second", own, {
      beside: ["only deleted, in the same pages", bare],
      atLeast: 1 / bars.times,
    });
    const [size] = yield* sql<{ readonly bytes: number }>`
      SELECT pg_total_relation_size(${compacted})::float8 / ${compacting.result} AS bytes`;
    figure(`${what}-size`, `a row of compacted ${what}, with indexes`, "bytes", size?.bytes ?? Number.NaN, {
      beside: ["before", old?.bytes ?? Number.NaN],
      atMost: bars[what],
    });
  }
  yield* verify("after compacting");
  yield* sql`UPDATE rollup_state SET timezone = 'UTC'`;
  yield* verify("over source rows");
  yield* sql`UPDATE rollup_state SET timezone = ''`;
  const again = yield* rollUp;
  yield* verify("after a rebuild");
  const beside = ["before compacting", first.seconds] as const;
  figure("rebuild", "time of a rebuild of the rollups", "s", again.seconds, { beside });
});

runBench(Effect.provide(bench, onSchema(Layer.mergeAll(Reports.layer, Rollups.layer, Retention.layer))), {
  settings: { max_wal_size: "4GB" },
});
