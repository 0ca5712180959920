/** Rows that benches write by SQL, because requests would take too long. */
import { Clock, Effect } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { digest, makeSecret } from "../../src/access/Credential.ts";
import { instant, unnested } from "../../src/database/Rows.ts";
import { deviceToken } from "../../src/devices/DeviceToken.ts";
import { DeviceKey, idAt } from "../../src/wire/Ids.ts";

/** The internal key of a workspace. */
export const workspaceKey = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient;
  const [row] = yield* sql<{ readonly key: number }>`
    SELECT id AS key FROM workspace WHERE public_id = ${id}::uuid`;
  return row?.key ?? (yield* Effect.die(new Error(`There is no workspace ${id}`)));
});

/** Devices of a statement: the client gives up one that takes half a minute. */
const partSize = 25_000;

/** Inserts devices without a usable token into Production, with the keys from `from` to `to`. */
export const insertDevices = Effect.fnUntraced(function* (
  workspace: number,
  from: number,
  to: number,
  transport = "inbox",
  address?: Statement.Fragment,
) {
  const sql = yield* SqlClient.SqlClient;
  for (let start = from; start <= to; start += partSize)
    yield* sql`
      INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, approved,
        address, token_digest, registered_at, last_seen_at)
      SELECT ${workspace}::int, 'production', n, gen_random_uuid(), 'installation-' || n, 'android',
        ${transport}, true, ${address ?? sql`NULL::jsonb`}, decode(repeat('00', 32), 'hex'), '2026-01-01Z',
        '2026-01-01Z'
      FROM generate_series(${start}::int, ${Math.min(start + partSize - 1, to)}::int) AS n`;
  yield* sql`
    UPDATE tenant SET last_device_key = GREATEST(last_device_key, ${to})
    WHERE workspace_id = ${workspace} AND environment = 'production'`;
  yield* sql`VACUUM ANALYZE device`.unprepared;
});

/** Inserts inboxes with the keys from 1 on and installations `known-1` and on. Gives their tokens. */
export const insertReporters = Effect.fnUntraced(function* (workspaceId: number, count: number) {
  const sql = yield* SqlClient.SqlClient;
  const now = yield* Clock.currentTimeMillis;
  const at = instant(now);
  const secrets = Array.from({ length: count }, makeSecret);
  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, approved,
      token_digest, token_used, registered_at, last_seen_at)
    SELECT ${workspaceId}::int, 'production', ord, id, 'known-' || ord, 'android', 'inbox', true, digest,
      true, ${at}, ${at}
    FROM ${unnested("d", secrets, {
      id: ["uuid", () => idAt(now)],
      digest: ["bytea", digest],
    })}`;
  yield* sql`UPDATE tenant SET last_device_key = GREATEST(last_device_key, ${count})
    WHERE workspace_id = ${workspaceId}`;
  return secrets.map((secret, index) =>
    deviceToken({ workspaceId, environment: "production", deviceKey: DeviceKey(index + 1) }, secret),
  );
});

/** Inserts circles around points of a region into Production. */
export const insertLocations = Effect.fnUntraced(function* (workspace: number, count: number) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    SELECT ${workspace}::int, 'production', gen_random_uuid(), 'Store nr ' || n, 'circle',
      52 + n % 200 * 0.005, 5 + n / 200 * 0.01, 100, '2026-01-01Z', '2026-01-01Z'
    FROM generate_series(1, ${count}::int) n`;
  yield* sql`UPDATE tenant SET locations_version = locations_version + 1 WHERE workspace_id = ${workspace}`;
});

/** The statement of sends that are due now, of the push campaigns of a condition on `c`. */
export const insertSends = Effect.fnUntraced(function* (campaigns: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient;
  const due = instant(yield* Clock.currentTimeMillis);
  yield* sql`
    INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
      notification_key, due_at, status)
    SELECT c.workspace_id, c.environment, gen_random_uuid(), c.id, c.key, n.id, n.key, ${due}, 'scheduled'
    FROM campaign c
    JOIN campaign_notification a ON (a.workspace_id, a.campaign_id) = (c.workspace_id, c.id)
    JOIN notification n ON (n.workspace_id, n.id) = (a.workspace_id, a.notification_id)
    WHERE c.type = 'push' AND ${campaigns}`;
});

/** Waits until a statement finds no row. */
export const untilNone = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.gen(function* () {
    while ((yield* rows).length > 0) yield* Effect.sleep(20);
  });

/**
 * Sends to all devices of the push campaigns of a condition on `c`, `expected` in all, and waits for the end.
 * Gives the seconds from the first start. Sends of before are deleted.
 */
export const sendNow = Effect.fnUntraced(function* (expected: number, campaigns: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient;
  yield* sql`DELETE FROM send`;
  yield* insertSends(campaigns);
  yield* untilNone(sql`SELECT FROM send WHERE status IN ('scheduled', 'running') LIMIT 1`);
  const ended = yield* Clock.currentTimeMillis;
  const [sum] = yield* sql<{ readonly targeted: number; readonly began: number }>`
    SELECT sum(targeted)::int AS targeted, (extract(epoch FROM min(started_at)) * 1000)::float8 AS began
    FROM send WHERE status = 'done'`;
  if (sum?.targeted !== expected)
    return yield* Effect.die(new Error(`${sum?.targeted} of ${expected} are delivered or held`));
  return (ended - sum.began) / 1000;
});
