/** The sides of the bench of fixed sends: a send, and one bare statement that inserts the same rows. */
import { Clock, Effect } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { instant } from "../../src/database/Rows.ts";
import { sendNow } from "./BenchRows.ts";

/** Devices that one statement changes. */
const partSize = 25_000;

/** The keys of a push campaign with a message. */
export interface Campaign {
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly content_key: number;
  readonly workspace_id: number;
}

/** Everything as it was, and on disk. */
const clear = Effect.fnUntraced(function* (size: number) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`TRUNCATE delivery, enrolment, enrolment_count`.unprepared;
  yield* sql`UPDATE tenant SET last_device_key = ${size} WHERE environment = 'production'`;
  yield* sql`CHECKPOINT`.unprepared;
});

/** The rows a second of one bare statement. Half of its deliveries can be held, as by quiet hours. */
export const bare = Effect.fnUntraced(function* (
  { campaign_key, content_key, notification_key, workspace_id }: Campaign,
  size: number,
  enrolments?: Statement.Fragment,
  isHalfHeld = false,
) {
  const sql = yield* SqlClient.SqlClient;
  yield* clear(size);
  const now = instant(yield* Clock.currentTimeMillis);
  const isHeld = isHalfHeld ? sql`d.key % 8 < 4` : sql`false`;
  const began = performance.now();
  yield* sql`
    WITH created AS (
      INSERT INTO delivery (workspace_id, environment, source_id, device_key, user_key, campaign_key,
        notification_key, content_key, content_type, trigger_type, transport, status, created_at, held_until,
        settled_at)
      SELECT d.workspace_id, d.environment, 1, d.key, d.user_key, ${campaign_key}, ${notification_key},
        ${content_key}, 'message', 'fixed_time', d.transport,
        CASE WHEN ${isHeld} THEN 'held' ELSE 'delivered' END, ${now},
        CASE WHEN ${isHeld} THEN ${now} + interval '1 hour' END, CASE WHEN NOT ${isHeld} THEN ${now} END
      FROM device d
      WHERE d.workspace_id = ${workspace_id} AND d.environment = 'production' AND d.key <= ${size}
      RETURNING device_key, transport, status
    ) ${enrolments ?? sql``}
    INSERT INTO delivery_delta (workspace_id, environment, quarter, campaign_key, notification_key,
      content_type, trigger_type, status, device_keys)
    SELECT ${workspace_id}::int, 'production', date_bin('15 minutes', ${now}, 'epoch'), ${campaign_key}::int,
      ${notification_key}::int, 'message', 'fixed_time', status, array_agg(device_key)
    FROM created WHERE status = 'delivered' GROUP BY device_key / 10000, transport, status`;
  return (size / (performance.now() - began)) * 1000;
});

/** The deliveries a second of a send, from its start to its end. */
export const send = Effect.fnUntraced(function* (size: number, targeted: number = size) {
  const sql = yield* SqlClient.SqlClient;
  yield* clear(size);
  return size / (yield* sendNow(targeted, sql`true`));
});

/** Gives the devices up to a key people, and time zones around the world. */
export const populate = Effect.fnUntraced(function* (size: number) {
  const sql = yield* SqlClient.SqlClient;
  for (let from = 1; from <= size; from += partSize) {
    const part = (key: string) => sql`${sql(key)} BETWEEN ${from} AND ${Math.min(from + partSize - 1, size)}`;
    yield* sql`
      WITH person AS (
        INSERT INTO device_user (workspace_id, environment, user_id)
        SELECT workspace_id, environment, 'person-' || key FROM device WHERE ${part("key")}
        ON CONFLICT (user_id, workspace_id, environment) DO UPDATE SET user_id = EXCLUDED.user_id
        RETURNING key, user_id
      )
      UPDATE device SET user_id = person.user_id, user_key = person.key,
        timezone = (ARRAY['Asia/Tokyo', 'Asia/Kolkata', 'Europe/Paris', 'UTC', 'America/New_York',
          'America/Los_Angeles', 'Pacific/Auckland', NULL])[device.key % 8 + 1]
      FROM person WHERE ${part("device.key")} AND person.user_id = 'person-' || device.key`;
  }
  yield* sql`VACUUM ANALYZE device`.unprepared;
});
