/**
 * The bars of CSV files: deliveries leave the database at half the rate of COPY of the same rows on the same
 * server or more, in flat memory, the first record within 200 ms. BENCH_ROWS (300,000 if unset) deliveries.
 */
import { Effect, Stream } from "effect";
import { SqlClient } from "effect/sql";
import { DeliveryList } from "../../src/sending/deliveries/DeliveryList.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { onSchema } from "./BenchDatabase.ts";
import { each, runBench } from "./BenchWorld.ts";
import { buildReportYear, yearOf } from "./ReportYear.ts";
import { alternately, figure, setting } from "./Rounds.ts";

const rows = setting("ROWS", 300_000);

/** An instant as the file shows it. */
const utcText = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')`;

/** The rows of the file with the same texts, but for the id. */
const sameRows = `
  SELECT d.source_id, d.device_key, s.id, COALESCE(k.id, g.id), c.notification_id, v.id, d.trigger_type,
    COALESCE(l.id, f.id), d.transport, d.status, d.attempts, d.last_error, d.test,
    ${utcText("d.created_at")}, CASE WHEN d.status = 'delivered' THEN ${utcText("d.settled_at")} END
  FROM delivery d
  JOIN content c
    ON (c.workspace_id, c.environment) = (d.workspace_id, d.environment) AND c.key = d.content_key
  JOIN device v
    ON (v.workspace_id, v.environment) = (d.workspace_id, d.environment) AND v.key = d.device_key
  LEFT JOIN campaign k
    ON (k.workspace_id, k.environment) = (d.workspace_id, d.environment) AND k.key = d.campaign_key
  LEFT JOIN deleted_campaign g
    ON (g.workspace_id, g.environment) = (d.workspace_id, d.environment) AND g.key = d.campaign_key
  LEFT JOIN send s
    ON (s.workspace_id, s.environment) = (d.workspace_id, d.environment) AND s.source_id = d.source_id
  LEFT JOIN location l
    ON (l.workspace_id, l.environment) = (d.workspace_id, d.environment) AND l.key = d.location_key
  LEFT JOIN deleted_location f
    ON (f.workspace_id, f.environment) = (d.workspace_id, d.environment) AND f.key = d.location_key
  WHERE d.workspace_id = 1 AND d.environment = 'production'
  ORDER BY d.source_id DESC, d.device_key DESC`;

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const list = yield* DeliveryList;
  const timezone = "UTC";
  yield* buildReportYear({ ...yearOf(rows, 50_000), timezone });
  const tenant = {
    workspaceId: 1,
    environment: "production",
    workspace: { id: "bench", name: "Bench", timezone },
  } as unknown as Tenant;

  const exported = Effect.scoped(
    Effect.gen(function* () {
      const started = performance.now();
      let first = 0;
      let count = 0;
      let memory = 0;
      const before = process.memoryUsage().rss;
      const { records } = yield* list.file(tenant, {});
      yield* Stream.runForEach(yield* records, (batch) =>
        Effect.sync(() => {
          if (count === 0) first = performance.now() - started;
          count += batch.length;
          memory = Math.max(memory, process.memoryUsage().rss - before);
        }),
      );
      const rate = count / ((performance.now() - started) / 1000);
      return { count, first, rate, megabytes: memory / 1e6 };
    }),
  );
  const copied = Effect.gen(function* () {
    const started = performance.now();
    yield* sql`COPY (${sql.literal(sameRows)}) TO '/dev/null' (FORMAT csv)`.unprepared;
    const rate = rows / ((performance.now() - started) / 1000);
    return { count: rows, first: 0, rate, megabytes: 0 };
  });

  const { copy, file } = yield* alternately(3, { file: exported, copy: copied });
  const [own, bare] = [each(file, "rate"), each(copy, "rate")];
  const what = `a file of ${rows.toLocaleString("en")} deliveries`;
  const beside = ["`COPY` of the same texts", bare] as const;
  figure("rows", `rows of ${what}`, "a second", own, { beside, atLeast: 0.5 });
  figure("first", `first record of ${what}`, "ms", each(file, "first"), { atMost: 200 });
  figure("memory", `growth of memory by ${what}`, "MB", each(file, "megabytes"), { atMost: 50 });
});

runBench(Effect.provide(bench, onSchema(DeliveryList.layer)), { settings: { max_wal_size: "4GB" } });
