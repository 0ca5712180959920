/**
 * Cost of rollups for a statement: the time to write events and deliveries with the deltas and the index of
 * visits, against the same without them, and the time to add the deltas afterwards. Alternating on one
 * PostgreSQL, by statements of the sizes that requests and sends make. No bar: `ingest` measures whole
 * requests. BENCH_ROWS (40,000 if unset) a round.
 */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { deliveryDeltasSql, eventDeltasSql } from "../../src/deltas/DeltasSql.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { onSchema } from "./BenchDatabase.ts";
import { runBench } from "./BenchWorld.ts";
import { buildReportYear, yearOf } from "./ReportYear.ts";
import { alternately, median, setting, timed } from "./Rounds.ts";

const rows = setting("ROWS", 40_000);
const year = yearOf(10 * rows, 50_000);

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { step } = yield* Rollups;
  const run = (text: string) => sql`${sql.literal(text)}`.unprepared;
  yield* buildReportYear(year);
  const rollUp = Effect.gen(function* () {
    while (yield* step);
  });
  yield* rollUp;
  let written = 10_000_000;
  const events = (count: number) => `
    INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key, occurred_at,
      received_at)
    SELECT 1, 'production', 1 + floor(random() * ${year.devices})::int, gen_random_uuid(),
      CASE WHEN random() < 0.5 THEN 'enter' ELSE 'exit' END, 1 + floor(random() * ${year.locations})::int,
      statement_timestamp(), statement_timestamp()
    FROM generate_series(1, ${count})`;
  const deliveries = (count: number) => `
    INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
      content_key,
      content_type, trigger_type, location_key, transport, status, created_at, settled_at)
    SELECT 1, 'production', ${written++}, n, 1, 1, 1, 'message', 'on_enter', 1, 'inbox', 'delivered',
      statement_timestamp(), statement_timestamp()
    FROM generate_series(1, ${count}) n`;
  const kinds = [
    { name: "events, 5 a statement", table: "geofence_event", size: 5, statement: events },
    { name: "events, 500 a statement", table: "geofence_event", size: 500, statement: events },
    { name: "deliveries, 5,000 a statement", table: "delivery", size: 5000, statement: deliveries },
  ];
  for (const { name, size, statement, table } of kinds) {
    const micros = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
      Effect.map(timed(effect), ({ seconds }) => (seconds * 1e6) / rows);
    const write = Effect.forEach(Array.from({ length: rows / size }), () => run(statement(size)), {
      discard: true,
    });
    const deltas =
      table === "delivery"
        ? deliveryDeltasSql(sql, sql`SELECT * FROM written`)
        : eventDeltasSql(sql, sql`SELECT * FROM written`);
    const writeWithDeltas = Effect.forEach(
      Array.from({ length: rows / size }),
      () => sql`WITH written AS (${sql.literal(statement(size))} RETURNING *), ${deltas} SELECT 1`.unprepared,
      { discard: true },
    );
    const onVisits = (statement: string) => (table === "geofence_event" ? run(statement) : Effect.void);
    const without = Effect.gen(function* () {
      yield* onVisits("DROP INDEX geofence_event_visits");
      const took = yield* micros(write);
      yield* onVisits(`CREATE INDEX geofence_event_visits ON geofence_event
        (device_key, location_key, occurred_at, workspace_id, environment)`);
      return took;
    });
    const rounds = yield* alternately(
      5,
      { slow: micros(writeWithDeltas), adding: micros(rollUp), fast: without },
      0,
    );
    const [slow, fast, adding] = [median(rounds.slow), median(rounds.fast), median(rounds.adding)];
    console.log(
      `${name.padEnd(30)} ${fast.toFixed(1)} µs a row, with deltas ${slow.toFixed(1)} ` +
        `(+${((slow / fast - 1) * 100).toFixed(0)} %), to add them to the rollups ${adding.toFixed(1)}`,
    );
  }
});

runBench(Effect.provide(bench, onSchema(Rollups.layer)));
