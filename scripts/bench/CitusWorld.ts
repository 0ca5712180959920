/** The workspaces of the bench of Citus: devices, a geo and a push campaign, and a year of deliveries. */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { digest, makeSecret } from "../../src/access/Credential.ts";
import { arrayOf, instant, unnested } from "../../src/database/Rows.ts";
import { deviceToken } from "../../src/devices/DeviceToken.ts";
import { DeviceKey } from "../../src/wire/Ids.ts";
import { uuidOf } from "./ReportYear.ts";

/** The size of each workspace. */
export interface WorldSize {
  /** Workspaces that may be chosen, so that each shard has as many. */
  readonly candidates: number;
  readonly workspaces: number;
  /** Inboxes of the fan-out. The first `reporting` of them report. */
  readonly devices: number;
  readonly reporting: number;
  /** Deliveries of the past year. */
  readonly history: number;
}

/** The world as requests use it. */
export interface World {
  readonly workspaces: ReadonlyArray<number>;
  /** Tokens of reporting devices with their locations; neighbours in the list are of different workspaces. */
  readonly devices: ReadonlyArray<{ readonly token: string; readonly location: string }>;
}

/** Workspaces by number, as many on each shard of a distributed database. */
export const evenWorkspaces = ({ candidates, workspaces }: WorldSize) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const rows = yield* sql<{ readonly id: number }>`
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY shard ORDER BY id) AS number
        FROM (SELECT id, get_shard_id_for_distribution_column('device', id) AS shard
          FROM generate_series(1, ${candidates}::int) AS id) AS placed
      ) AS numbered ORDER BY number, id LIMIT ${workspaces}`;
    return rows.map(({ id }) => id);
  });

/** The same in a plain database and a distributed one: rows of a distributed table by workspace. */
export const buildWorld = Effect.fnUntraced(function* (size: WorldSize, workspaces: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient;
  const now = yield* Clock.currentTimeMillis;
  const at = instant(now);
  const run = (text: string) => sql`${sql.literal(text)}`.unprepared;
  const start = instant(now - 400 * 86_400_000);
  const own = sql`w.id AS workspace_id, 'production' AS environment`;
  const each = sql`unnest(${arrayOf("int4", workspaces)}) AS w (id)`;
  yield* sql`
    INSERT INTO workspace (public_id, name, timezone, created_at, updated_at)
    SELECT gen_random_uuid(), 'Bench ' || n, 'UTC', ${start}, ${start}
    FROM generate_series(1, ${size.candidates}::int) AS n`;
  yield* run(`INSERT INTO tenant SELECT w.id, e, 0 FROM workspace w, unnest(ARRAY['sandbox', 'production']) e
    ON CONFLICT DO NOTHING`);
  yield* sql`UPDATE tenant SET last_device_key = ${size.devices}`;
  yield* sql`UPDATE workspace SET platform_api_enabled = true`;
  const id = (name: string) => sql.literal(uuidOf(name, "w.id"));
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    SELECT ${own}, ${id("location")}, 'Shop', 'circle', 52, 5, 100, ${at}, ${at} FROM ${each}`;
  yield* sql`
    INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, frequency_cap_count,
      frequency_cap_period, created_at, updated_at)
    SELECT ${own}, ${id("campaign")}, 'Opening week', 'geo', 'UTC', ${start}, 1000, 'day', ${at}, ${at}
    FROM ${each}`;
  yield* sql`
    INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, ends_at, created_at,
      updated_at)
    SELECT ${own}, ${id("push")}, 'Offer', 'push', 'UTC', ${start}, '2100-01-01Z', ${at}, ${at} FROM ${each}`;
  yield* sql`
    INSERT INTO campaign_location (workspace_id, environment, campaign_id, location_id, position)
    SELECT ${own}, ${id("campaign")}, ${id("location")}, 1 FROM ${each}`;
  yield* sql`
    WITH revision AS (
      INSERT INTO content (workspace_id, environment, notification_id, type, headline, body, created_at)
      SELECT ${own}, ${id("notification")}, 'message', 'Welcome', 'A free coffee', ${at} FROM ${each}
      RETURNING *
    )
    INSERT INTO notification (workspace_id, environment, id, name, type, content_key, created_at, updated_at)
    SELECT workspace_id, environment, notification_id, 'Welcome', 'message', key, ${at}, ${at} FROM revision`;
  yield* sql`
    INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id,
      trigger_type, attached_at, updated_at)
    SELECT ${own}, ${id("campaign")}, ${id("notification")}, ${id("pair")}, 'on_enter', ${at}, ${at}
    FROM ${each}`;
  yield* sql`
    INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id,
      trigger_type, send_at, attached_at, updated_at)
    SELECT ${own}, ${id("push")}, ${id("notification")}, ${id("send")}, 'fixed_time', '12:00', ${at}, ${at}
    FROM ${each}`;
  const secrets = Array.from({ length: size.reporting }, makeSecret);
  const devices: Array<Array<World["devices"][number]>> = secrets.map(() => []);
  for (const workspaceId of workspaces) {
    const { campaign, content, location, notification } = yield* keysOf(workspaceId);
    yield* sql`
      INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, approved,
        token_digest, token_used, registered_at, last_seen_at)
      SELECT ${workspaceId}::int, 'production', n, md5(${String(workspaceId)} || ' ' || n)::uuid, 'i-' || n,
        'android', 'inbox', true, COALESCE(s.digest, decode(repeat('00', 32), 'hex')), true, ${start},
        ${start}
      FROM generate_series(1, ${size.devices}::int) AS n
      LEFT JOIN ${unnested("s", secrets, { digest: ["bytea", digest] })} ON s.ord = n`;
    yield* sql`
      INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
        content_key, content_type, trigger_type, transport, status, created_at, settled_at)
      SELECT ${workspaceId}::int, 'production', n, 1 + n % ${size.devices}::int, ${campaign}::int,
        ${notification}::int, ${content}::int, 'message', 'fixed_time', 'inbox', 'delivered', at, at
      FROM (
        SELECT n, ${instant(now - 86_400_000)}::timestamptz
          - n * (interval '365 days' / ${size.history}::int) AS at
        FROM generate_series(1, ${size.history}::int) AS n
      ) AS past`;
    secrets.forEach((secret, index) =>
      devices[index]?.push({
        token: deviceToken(
          { workspaceId, environment: "production", deviceKey: DeviceKey(index + 1) },
          secret,
        ),
        location,
      }),
    );
  }
  yield* sql`SELECT setval('delivery_source_id', ${size.history})`;
  yield* run("ANALYZE");
  return { workspaces, devices: devices.flat() } satisfies World;
});

interface Keys {
  readonly campaign: number;
  readonly notification: number;
  readonly content: number;
  readonly location: string;
}

/** The numbers of a workspace's push campaign, and the id of its location. */
const keysOf = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const [keys] = yield* sql<Keys>`
    SELECT c.key AS campaign, n.key AS notification, n.content_key AS content, l.id AS location
    FROM campaign c JOIN notification n USING (workspace_id) JOIN location l USING (workspace_id)
    WHERE workspace_id = ${workspaceId} AND c.type = 'push'`;
  return keys ?? (yield* Effect.die(new Error(`Workspace ${workspaceId} has no campaign`)));
});
