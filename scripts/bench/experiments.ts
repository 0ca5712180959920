/**
 * The figures of an experiment beside SQL over the source rows, at BENCH_ROWS (1,000,000 if unset) units of a
 * campaign with a holdout and two variants: as many enrolments, deliveries, and visits of which each third
 * unit has two. Counts are made by the statements of the product; they are read as they come, and once the
 * job has added them up. The figures must be equal, and read within 200 ms.
 */
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { deliveryDeltasSql } from "../../src/deltas/DeltasSql.ts";
import { conversionsSql } from "../../src/deltas/ExperimentCountsSql.ts";
import { CountSumsSql } from "../../src/experiments/CountSumsSql.ts";
import { experimentFigures } from "../../src/experiments/ExperimentFigures.ts";
import { CampaignExperimentsSql } from "../../src/experiments/CampaignExperimentsSql.ts";
import { enrolledSql } from "../../src/sending/arms/ArmsSql.ts";
import { CampaignKey } from "../../src/wire/Ids.ts";
import { onSchema } from "./BenchDatabase.ts";
import { runBench } from "./BenchWorld.ts";
import { atMost, setting, timed } from "./Rounds.ts";

const rows = setting("ROWS", 1_000_000);
/** Units of one statement, as large as the batch of a send. */
const chunk = Math.min(rows, 10_000);
const tenant = { workspaceId: 1, environment: "production" } as const;
const key = CampaignKey(1);
const variants = [
  { key: "b", weight: 30 },
  { key: "c", weight: 20 },
];

/** Units from `first` on, with their arms: a tenth is held out. `n` is the key of the device. */
const units = (first: number) => `(
  SELECT 1 AS workspace_id, 'production'::text AS environment, 1 AS campaign_key, 1 AS notification_key,
    n AS unit_key, n AS device_key, n % 10 = 0 AS held_out, true AS enrolled,
    CASE WHEN n % 100 < 30 THEN 'b' WHEN n % 100 < 50 THEN 'c' ELSE 'control' END AS variant,
    'visit'::text AS goal, 72 AS goal_hours, 1 AS rank,
    '2026-01-01Z'::timestamptz + n * interval '1 ms' AS now
  FROM generate_series(${first}, ${Math.min(first + chunk - 1, rows)}) AS n) AS u`;

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const run = (text: string) => sql`${sql.literal(text)}`.unprepared;
  yield* run(`INSERT INTO workspace (public_id, name, timezone, created_at, updated_at)
    VALUES (gen_random_uuid(), 'Bench', 'UTC', '2025-01-01Z', '2025-01-01Z')`);
  yield* run(`INSERT INTO tenant SELECT 1, e FROM unnest(ARRAY['sandbox', 'production']) e
    ON CONFLICT DO NOTHING`);
  for (let first = 1; first <= rows; first += chunk) {
    const from = sql.literal(units(first));
    yield* sql`WITH ${enrolledSql(sql, sql`SELECT * FROM ${from}`)} SELECT 1`.unprepared;
    yield* sql`WITH made AS (
        INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key,
          notification_key, content_key, content_type, trigger_type, transport, status, created_at,
          settled_at, variant, enrolled)
        SELECT 1, 'production', 1, device_key, 1, 1, 1, 'message', 'fixed_time', 'inbox', 'delivered', now,
          now, variant, true
        FROM ${from} WHERE NOT held_out RETURNING *
      ), ${deliveryDeltasSql(sql, sql`SELECT * FROM made`)} SELECT 1`.unprepared;
  }
  // Of four units one comes in time, one too early, one too late, and the held out come less often.
  for (let first = 1; first <= rows; first += chunk)
    for (const [again, share] of [
      [0, 1],
      [1, 3],
    ] as const)
      yield* sql`WITH visit AS (
          INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key,
            occurred_at, received_at)
          SELECT 1, 'production', device_key, gen_random_uuid(), 'enter', 1, at, at FROM (
            SELECT *, now + ${again} * interval '1 hour'
              + CASE unit_key % (CASE WHEN held_out THEN 7 ELSE 4 END)
              WHEN 0 THEN interval '5 hours' WHEN 1 THEN interval '-1 hour'
              ELSE interval '100 hours' END AS at
            FROM ${sql.literal(units(first))} WHERE unit_key % ${share} = 0) AS seen
          RETURNING *
        ), ${conversionsSql(
          sql,
          sql`SELECT workspace_id, environment, 1 AS campaign_key, device_key AS unit_key, 'visit' AS goal,
            occurred_at AS at, false AS is_reply FROM visit`,
        )} SELECT 1`.unprepared;
  for (const table of ["enrolment", "delivery", "geofence_event"]) yield* run(`VACUUM ANALYZE ${table}`);
});

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const repository = yield* CampaignExperimentsSql;
  const { addUp } = yield* CountSumsSql;
  const { seconds: filling } = yield* timed(fill);
  console.log(`${rows.toLocaleString("en-US")} units, filled in ${filling.toFixed(0)} s`);

  const { result: source, seconds: counting } = yield* timed(
    sql<{
      readonly arm: string;
      readonly enrolled: number;
      readonly delivered: number;
      readonly converted: number;
    }>`
    WITH visited AS (
      SELECT DISTINCT n.unit_key FROM enrolment n
      JOIN geofence_event e ON e.workspace_id = 1 AND e.environment = 'production'
        AND e.device_key = n.unit_key AND e.occurred_at > n.enrolled_at
        AND e.occurred_at <= n.enrolled_at + interval '72 hours'
    )
    SELECT n.arm, count(*)::int AS enrolled, count(v.unit_key)::int AS converted,
      count(d.device_key)::int AS delivered
    FROM enrolment n
    LEFT JOIN visited v USING (unit_key)
    LEFT JOIN delivery d ON d.workspace_id = 1 AND d.environment = 'production' AND d.source_id = 1
      AND d.device_key = n.unit_key AND d.status = 'delivered'
    GROUP BY 1`.unprepared,
  );
  console.log(`SQL over the source rows: ${(counting * 1000).toFixed(0)} ms`);

  const read = Effect.map(repository.counts(tenant, key), (counts) =>
    experimentFigures(
      { holdout: 10, notifications: [{ id: "n", variants }], hasGoal: true },
      (id, arm) =>
        counts.find((row) => row.arm === arm && row.notificationKey === (id === null ? 0 : 1)) ?? {
          enrolled: 0,
          delivered: 0,
          converted: 0,
        },
    ),
  );
  for (const state of ["as they come", "added up"]) {
    const rounds = yield* Effect.replicateEffect(timed(read), 9);
    const millis = rounds.map(({ seconds }) => seconds * 1000);
    console.log(
      `figures, counts ${state.padEnd(12)} ${atMost(millis, 200, 1)} ms, ` +
        `${Math.round((counting * 1000) / Math.min(...millis)).toLocaleString("en-US")} times as fast`,
    );
    for (const { converted, delivered, enrolled, key: arm } of rounds[0]?.result.arms ?? []) {
      const expected = source.find((row) => row.arm === arm);
      if (
        expected?.enrolled !== enrolled ||
        expected.delivered !== delivered ||
        expected.converted !== converted
      )
        throw new Error(`${arm}: ${enrolled}, ${delivered}, ${converted}, not ${JSON.stringify(expected)}`);
    }
    const { seconds } = yield* timed(addUp);
    console.log(`the job takes ${(seconds * 1000).toFixed(0)} ms`);
  }
});

const services = Layer.merge(CampaignExperimentsSql.layer, CountSumsSql.layer);
runBench(Effect.provide(bench, onSchema(services)), { settings: { max_wal_size: "4GB" } });
