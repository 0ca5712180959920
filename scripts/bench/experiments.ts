/**
 * The figures of an experiment beside SQL over the source rows, at BENCH_ROWS (1,000,000 if unset) units of a
 * campaign with a holdout and two variants, enrolled over a year: as many enrolments, deliveries, and visits,
 * of which each third unit has two. Counts are made by the statements of the product, and added up by its job
 * meanwhile. The figures and the days are read while the counts of the last batch are new, and once all are
 * added up. They must be equal to those of the source rows, and read within 200 ms.
 */
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { deliveryDeltasSql } from "../../src/deltas/DeltasSql.ts";
import { conversionsSql } from "../../src/deltas/ExperimentCountsSql.ts";
import { CountSumsSql } from "../../src/experiments/CountSumsSql.ts";
import type { ArmCounts } from "../../src/experiments/statistics/FisherTest.ts";
import { experimentDays, experimentFigures } from "../../src/experiments/ExperimentFigures.ts";
import { CampaignExperimentsSql } from "../../src/experiments/CampaignExperimentsSql.ts";
import { enrolledSql } from "../../src/sending/arms/ArmsSql.ts";
import { DAY_MS } from "../../src/time/DayNumbers.ts";
import { dateAt, daysOf } from "../../src/time/LocalTime.ts";
import { utcZone } from "../../src/time/TimeZone.ts";
import { CampaignKey } from "../../src/wire/Ids.ts";
import { onSchema } from "./BenchDatabase.ts";
import { runBench } from "./BenchWorld.ts";
import { figure, setting, timed } from "./Rounds.ts";

const rows = setting("ROWS", 1_000_000);
/** Units of one statement, at most a batch of a send: enough statements to reach each quarter of the year. */
const chunk = Math.min(Math.ceil(rows / 400), 10_000);
const tenant = { workspaceId: 1, environment: "production" } as const;
const key = CampaignKey(1);
const variants = [
  { key: "b", weight: 30 },
  { key: "c", weight: 20 },
];

const design = { holdout: 10, notifications: [{ id: "n", variants }], hasGoal: true };
const none = { enrolled: 0, delivered: 0, converted: 0 };
const begin = Date.parse("2025-01-01T00:00:00Z");
const days = daysOf(utcZone, dateAt(utcZone, begin), dateAt(utcZone, begin + 370 * DAY_MS));

/**
 * Units from `first` on, with their arms: a tenth is held out. `n` is the key of the device. They are
 * enrolled at one instant, and do what follows in the 96 quarters of an hour after it.
 */
const units = (first: number) => `(
  SELECT 1 AS workspace_id, 'production'::text AS environment, 1 AS campaign_key, 1 AS notification_key,
    n AS unit_key, n AS device_key, n % 10 = 0 AS held_out, true AS enrolled,
    CASE WHEN n % 100 < 30 THEN 'b' WHEN n % 100 < 50 THEN 'c' ELSE 'control' END AS variant,
    'visit'::text AS goal, 72 AS goal_hours, 1 AS rank,
    to_timestamp(${begin / 1000}) + interval '365 days' * (${first - 1}::float8 / ${rows}) AS now,
    interval '15 minutes' * (n / 7 % 96) AS later
  FROM generate_series(${first}, ${Math.min(first + chunk - 1, rows)}) AS n) AS u`;

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { addUp } = yield* CountSumsSql;
  const run = (text: string) => sql`${sql.literal(text)}`.unprepared;
  yield* run(`INSERT INTO workspace (public_id, name, timezone, created_at, updated_at)
    VALUES (gen_random_uuid(), 'Bench', 'UTC', '2025-01-01Z', '2025-01-01Z')`);
  yield* run(`INSERT INTO tenant SELECT 1, e FROM unnest(ARRAY['sandbox', 'production']) e
    ON CONFLICT DO NOTHING`);
  yield* run(`INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, goal,
      created_at, updated_at)
    VALUES (1, 'production', gen_random_uuid(), 'Bench', 'geo', 'UTC', '2025-01-01Z',
      '{"type": "visit", "within_hours": 72}', '2025-01-01Z', '2025-01-01Z')`);
  for (let first = 1; first <= rows; first += chunk) {
    // Batches before the last one are added up, as by the job of the product.
    if (first > 1) yield* addUp;
    const from = sql.literal(units(first));
    yield* sql`WITH ${enrolledSql(sql, sql`SELECT * FROM ${from}`)} SELECT 1`.unprepared;
    yield* sql`WITH made AS (
        INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key,
          notification_key, content_key, content_type, trigger_type, transport, status, created_at,
          settled_at, variant, enrolled)
        SELECT 1, 'production', 1, device_key, 1, 1, 1, 'message', 'fixed_time', 'inbox', 'delivered', now,
          now + later, variant, true
        FROM ${from} WHERE NOT held_out RETURNING *
      ), ${deliveryDeltasSql(sql, sql`SELECT * FROM made`)} SELECT 1`.unprepared;
    // Of four units one comes in time, one too early, one too late, and the held out come less often.
    for (const [again, share] of [
      [0, 1],
      [1, 3],
    ] as const)
      yield* sql`WITH visit AS (
          INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key,
            occurred_at, received_at)
          SELECT 1, 'production', device_key, gen_random_uuid(), 'enter', 1, at, at FROM (
            SELECT *, now + later + ${again} * interval '1 hour'
              + CASE unit_key % (CASE WHEN held_out THEN 7 ELSE 4 END)
              WHEN 0 THEN interval '5 hours' WHEN 1 THEN interval '-30 hours'
              ELSE interval '100 hours' END AS at
            FROM ${from} WHERE unit_key % ${share} = 0) AS seen
          RETURNING *
        ), ${conversionsSql(
          sql,
          sql`SELECT workspace_id, environment, 1 AS campaign_key, device_key AS unit_key, 'visit' AS goal,
            occurred_at AS at, false AS is_reply FROM visit`,
        )} SELECT 1`.unprepared;
  }
  for (const table of ["enrolment", "delivery", "geofence_event"]) yield* run(`VACUUM ANALYZE ${table}`);
});

/** The number of counts that are not added up. */
const newCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [found] = yield* sql<{ readonly fresh: number }>`
    SELECT count(*) FILTER (WHERE NOT is_sum)::int AS fresh
    FROM (SELECT is_sum FROM enrolment_count UNION ALL SELECT is_sum FROM variant_count) AS counted`;
  return found?.fresh ?? 0;
});

/** Runs the job until nothing is new: its first run sees new enrolments, the next one checks them. */
const addUpAll = Effect.gen(function* () {
  const { addUp } = yield* CountSumsSql;
  for (let run = 1; run <= 10; run++) {
    yield* addUp;
    if ((yield* newCounts) === 0) return run;
  }
  return yield* Effect.die(new Error("New counts remain after ten runs of the job."));
});

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const repository = yield* CampaignExperimentsSql;
  yield* fill;

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

  const { result: sourceDays, seconds: countingDays } = yield* timed(
    sql<{ readonly date: string; readonly arm: string } & ArmCounts>`
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date, arm, sum(enrolled)::int AS enrolled,
      sum(converted)::int AS converted
    FROM (
      SELECT arm, enrolled_at AS at, 1 AS enrolled, 0 AS converted FROM enrolment
      UNION ALL SELECT arm, converted_at, 0, 1 FROM enrolment WHERE converted_at IS NOT NULL) AS counted
    GROUP BY 1, 2`.unprepared,
  );
  const sourceDay = new Map(sourceDays.map((row) => [`${row.date} ${row.arm}`, row]));
  const expectedDays = new Map<string, ArmCounts>();
  for (const arm of ["holdout", "b", "c", "control"])
    days.reduce((sum, { date }) => {
      const row = sourceDay.get(`${date} ${arm}`) ?? none;
      const next = { enrolled: sum.enrolled + row.enrolled, converted: sum.converted + row.converted };
      expectedDays.set(`${date} ${arm}`, next);
      return next;
    }, none as ArmCounts);

  const keyOf = (id: string | null) => (id === null ? 0 : 1);
  const read = Effect.map(repository.counts(tenant, key), (counts) => {
    const byArm = new Map(counts.map((row) => [`${row.notificationKey} ${row.arm}`, row]));
    return experimentFigures(design, (id, arm) => byArm.get(`${keyOf(id)} ${arm}`) ?? none).arms;
  });
  const starts = days.map(({ fromMs }) => fromMs);
  const readDays = Effect.map(repository.days(tenant, key, starts), (counts) => {
    const byArm = new Map(counts.map((row) => [`${row.day - 1} ${row.notificationKey} ${row.arm}`, row]));
    return experimentDays(
      design,
      days.map(({ date }) => date),
      (day, id, arm) => byArm.get(`${day} ${keyOf(id)} ${arm}`),
    );
  });
  const report = (
    what: string,
    state: string,
    rounds: ReadonlyArray<{ readonly seconds: number }>,
    plain: number,
  ) => {
    const millis = rounds.map(({ seconds }) => seconds * 1000);
    const id = `${what}-${state.replaceAll(" ", "-")}`;
    const about = `${what} of an experiment of ${rows.toLocaleString("en")} units, counts ${state}`;
    figure(id, about, "ms", millis, { beside: ["SQL over the source rows", plain * 1000], valueAtMost: 200 });
  };
  for (const state of ["as they come", "added up"]) {
    const rounds = yield* Effect.replicateEffect(timed(read), 9);
    report("figures", state, rounds, counting);
    for (const { converted, delivered, enrolled, key: arm } of rounds[0]?.result ?? []) {
      const expected = source.find((row) => row.arm === arm);
      if (
        expected?.enrolled !== enrolled ||
        expected.delivered !== delivered ||
        expected.converted !== converted
      )
        throw new Error(`${arm}: ${enrolled}, ${delivered}, ${converted}, not ${JSON.stringify(expected)}`);
    }
    const roundsOfDays = yield* Effect.replicateEffect(timed(readDays), 9);
    report("days", state, roundsOfDays, countingDays);
    for (const { converted, date, enrolled, key: arm } of roundsOfDays[0]?.result ?? []) {
      const expected = expectedDays.get(`${date} ${arm}`);
      if (expected?.enrolled !== enrolled || expected.converted !== converted)
        throw new Error(`${date}, ${arm}: ${enrolled}, ${converted}, not ${JSON.stringify(expected)}`);
    }
    yield* addUpAll;
  }
});

const services = Layer.merge(CampaignExperimentsSql.layer, CountSumsSql.layer);
runBench(Effect.provide(bench, onSchema(services)), { settings: { max_wal_size: "4GB" } });
