/**
 * Cost of rollups for a statement: the time to write events and deliveries with the deltas and the index of
 * visits, against the same without them, and the time to add the deltas afterwards. Alternating on one
 * PostgreSQL, by statements of the sizes that requests and sends make. No bar: `ingest` measures whole
 * requests. BENCH_ROWS (40,000 if unset) a round.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deliveryDeltasSql, eventDeltasSql } from "../../src/deltas/DeltasSql.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { median } from "./BenchChild.ts";
import { benchClient, onSchema } from "./BenchDatabase.ts";
import { buildReportYear } from "./ReportYear.ts";

const rows = Number(process.env["BENCH_ROWS"] ?? 40_000);
const year = {
  rows: 10 * rows,
  devices: 50_000,
  campaigns: 200,
  locations: 2000,
  timezone: "Europe/Amsterdam",
};
const rounds = 5;

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
    const times = { with: [] as Array<number>, without: [] as Array<number>, adding: [] as Array<number> };
    const timed = (mode: keyof typeof times, effect: Effect.Effect<unknown, unknown>) =>
      Effect.gen(function* () {
        const began = performance.now();
        yield* effect;
        times[mode].push(((performance.now() - began) * 1000) / rows);
      });
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
    for (let round = 0; round < rounds; round++) {
      yield* timed("with", writeWithDeltas);
      yield* timed("adding", rollUp);
      if (table === "geofence_event") yield* run("DROP INDEX geofence_event_visits");
      yield* timed("without", write);
      if (table === "geofence_event") {
        yield* run(
          `CREATE INDEX geofence_event_visits ON geofence_event
            (device_key, location_key, occurred_at, workspace_id, environment)`,
        );
      }
    }
    const [slow, fast, adding] = [median(times.with), median(times.without), median(times.adding)];
    console.log(
      `${name.padEnd(30)} ${fast.toFixed(1)} µs a row, with deltas ${slow.toFixed(1)} ` +
        `(+${((slow / fast - 1) * 100).toFixed(0)} %), to add them to the rollups ${adding.toFixed(1)}`,
    );
  }
});

const directory = mkdtempSync(join(tmpdir(), "waypost-bench-"));
const services = onSchema(Rollups.layer, benchClient(directory));

NodeRuntime.runMain(
  bench.pipe(
    Effect.provide(services),
    Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true, force: true }))),
    Effect.scoped,
  ),
);
