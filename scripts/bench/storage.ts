/**
 * The size of rows with their indexes, freshly vacuumed. No bar.
 * BENCH_ROWS (200,000 if unset) of each kind.
 */
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { onSchema } from "./BenchDatabase.ts";
import { runBench } from "./BenchWorld.ts";
import { figure, setting } from "./Rounds.ts";

const rows = setting("ROWS", 200_000);

/** Statements that insert `$1` rows of a kind, as the program would have written them over ninety days. */
const kinds: Readonly<Record<string, string>> = {
  device: `
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, address,
      attributes, locale, timezone, app_version, token_digest, token_used, registered_at, last_seen_at)
    SELECT 1, 'production', n, gen_random_uuid(), gen_random_uuid()::text, 'android', 'fcm',
      jsonb_build_object('token', repeat(md5(n::text), 5)),
      jsonb_build_object('plan', 'gold', 'visits', n % 100), 'nl-NL', 'Europe/Amsterdam', '4.10.2',
      sha256(n::text::bytea), true, '2026-08-01Z', '2026-11-01Z'
    FROM generate_series(1, $1::int) AS n`,
  location: `
    INSERT INTO location (workspace_id, environment, id, name, external_id, address, type, latitude,
      longitude, radius_meters, created_at, updated_at)
    SELECT 1, 'production', gen_random_uuid(), 'Store ' || n, 'store-' || n, 'Main Street ' || n, 'circle',
      n % 90, n % 180, 100, '2026-08-01Z', '2026-08-01Z'
    FROM generate_series(1, $1::int) AS n`,
  device_location: `
    INSERT INTO device_location (workspace_id, environment, device_key, location_key, inside, changed_at)
    SELECT 1, 'production', n / 3, n % 3, n % 30 = 0, '2026-11-01Z' FROM generate_series(1, $1::int) AS n`,
  geofence_event: `
    INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key, occurred_at,
      received_at)
    SELECT 1, 'production', n % 20000 + 1, gen_random_uuid(), CASE n % 2 WHEN 0 THEN 'enter' ELSE 'exit' END,
      n % 1000 + 1, timestamptz '2026-08-01Z' + n * interval '39 seconds',
      timestamptz '2026-08-01Z' + n * interval '39 seconds'
    FROM generate_series(1, $1::int) AS n`,
  delivery: `
    INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
      content_key, content_type, trigger_type, transport, status, attempts, created_at, settled_at)
    SELECT 1, 'production', n / 20000 + 1, n % 20000 + 1, n / 20000 + 1, n / 20000 + 1, n / 20000 + 1,
      'message', 'fixed_time', 'fcm', 'delivered', 1, timestamptz '2026-08-01Z' + n * interval '39 seconds',
      timestamptz '2026-08-01Z' + n * interval '39 seconds'
    FROM generate_series(1, $1::int) AS n`,
};

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`INSERT INTO workspace (public_id, name, timezone, created_at, updated_at)
    VALUES (gen_random_uuid(), 'Bench', 'UTC', '2026-08-01Z', '2026-08-01Z')`;
  yield* sql`INSERT INTO tenant (workspace_id, environment) VALUES (1, 'production')`;
  for (const [table, insert] of Object.entries(kinds)) {
    yield* sql.unsafe(insert, [rows]);
    yield* sql`VACUUM (FREEZE, ANALYZE) ${sql(table)}`.unprepared;
    const [size] = yield* sql<{ readonly bytes: number }>`
      SELECT pg_total_relation_size(${table}::regclass)::float8 AS bytes`;
    figure(table, `a million rows of \`${table}\` with indexes`, "MB", (size?.bytes ?? Number.NaN) / rows);
  }
});

runBench(Effect.provide(bench, onSchema(Layer.empty)), { isDurable: false });
