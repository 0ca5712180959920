/**
 * What rollups cost: the time to write events and deliveries with the feed and the index of stays, against the same without them; and how long
 * it takes to add them to the rollups afterwards. Both in turns on one PostgreSQL, by statements of the sizes that requests and sends make.
 * The bar (ingest at most 15 % dearer) is about requests, which cost more than their statements: `ingest` measures those.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { median } from "./BenchChild.ts";
import { benchClient, onSchema } from "./BenchDatabase.ts";
import { buildReportYear } from "./ReportYear.ts";

const year = { rows: 400_000, devices: 50_000, campaigns: 200, places: 2000, timezone: "Europe/Amsterdam" };
const rounds = 5;
const rows = 40_000;

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const { step } = yield* Rollups;
  const run = (text: string) => sql`${sql.literal(text)}`.unprepared;
  yield* buildReportYear(year);
  const settle = Effect.gen(function* () {
    while (yield* step);
  });
  yield* settle;
  let written = 10_000_000;
  const events = (statement: number) => `
    INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key, occurred_at, received_at)
    SELECT 1, 'production', 1 + floor(random() * ${year.devices})::int, gen_random_uuid(),
      CASE WHEN random() < 0.5 THEN 'enter' ELSE 'exit' END, 1 + floor(random() * ${year.places})::int, statement_timestamp(), statement_timestamp()
    FROM generate_series(1, ${statement})`;
  const deliveries = (statement: number) => `
    INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key, content_key, content_type,
      trigger_type, location_key, transport, status, created_at, settled_at)
    SELECT 1, 'production', ${written++}, n, 1, 1, 1, 'message', 'on_enter', 1, 'inbox', 'delivered', statement_timestamp(), statement_timestamp()
    FROM generate_series(1, ${statement}) n`;
  const kinds = [
    { name: "events, 5 a statement", table: "geofence_event", size: 5, write: events },
    { name: "events, 500 a statement", table: "geofence_event", size: 500, write: events },
    { name: "deliveries, 5,000 a statement", table: "delivery", size: 5000, write: deliveries },
  ];
  for (const { name, size, table, write } of kinds) {
    const times: { readonly [mode: string]: Array<number> } = { with: [], without: [], adding: [] };
    const timed = (mode: string, effect: Effect.Effect<unknown, unknown>) =>
      Effect.gen(function* () {
        const began = performance.now();
        yield* effect;
        times[mode]?.push(((performance.now() - began) * 1000) / rows);
      });
    const statements = Effect.forEach(Array.from({ length: rows / size }), () => run(write(size)), {
      discard: true,
    });
    for (let round = 0; round < rounds; round++) {
      yield* timed("with", statements);
      yield* timed("adding", settle);
      yield* run(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
      if (table === "geofence_event") yield* run("DROP INDEX geofence_event_stays");
      yield* timed("without", statements);
      if (table === "geofence_event") {
        yield* run(
          "CREATE INDEX geofence_event_stays ON geofence_event (device_key, location_key, occurred_at, workspace_id, environment)",
        );
      }
      yield* run(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    }
    const [dear, cheap, adding] = ["with", "without", "adding"].map((mode) => median(times[mode] ?? []));
    console.log(
      `${name.padEnd(30)} ${cheap?.toFixed(1)} µs a row, with the feed ${dear?.toFixed(1)} (+${(((dear ?? 0) / (cheap ?? 1) - 1) * 100).toFixed(0)} %), ` +
        `to add it to the rollups ${adding?.toFixed(1)}`,
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
