/**
 * The bar of events: `POST /device/v1/events` with an event that fires a message, from 64 connections, at no
 * less than a third of the rate of a baseline that does only the necessary inserts (EventsBaseline.ts). Both
 * are processes of their own on one durable PostgreSQL, measured alternately. The access log is on, as by
 * default; the campaign has a cap, so that caps are counted.
 *
 * A second location has on_dwell notifications besides: there, an event costs at most a fifth more CPU time,
 * that of PostgreSQL included.
 */
import { NodeRuntime } from "@effect/platform-node";
import { Clock, Effect, References } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { digest, makeSecret } from "../../src/access/Credential.ts";
import { instant, unnested } from "../../src/database/Rows.ts";
import { deviceToken } from "../../src/devices/DeviceToken.ts";
import { DeviceKey, idAt } from "../../src/wire/Ids.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { alternating, lineOf, programs, rounds } from "./Programs.ts";
import { type Loaded, postHead, requestLoad } from "./RequestLoad.ts";

const bar = 1 / 3;
const dwellBar = 1.2;
const connections = 64;
const devices = 1_000;
const perRound = 6_000;

interface Keys {
  readonly locationKey: number;
  readonly campaignKey: number;
  readonly notificationKey: number;
  readonly contentKey: number;
}

/** Inserts a campaign with a message at a location, and a thousand devices. */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = yield* Workspaces;
  const now = yield* Clock.currentTimeMillis;
  const { id } = yield* workspaces.create(ParsedBody.of({ name: "Bench" }));
  const { workspaceId } = yield* workspaces.find(id);
  const tenant = sql`${workspaceId}::integer AS workspace_id, 'production' AS environment`;
  const at = instant(now);
  const [location, campaign, notification] = [idAt(now), idAt(now), idAt(now)];
  const [cafe, waiting] = [idAt(now), idAt(now)];
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    SELECT ${tenant}, each.id, each.name, 'circle', 52, 5, 100, ${at}, ${at}
    FROM (VALUES (${location}::uuid, 'Shop'), (${cafe}::uuid, 'Cafe')) AS each (id, name)`;
  yield* sql`
    INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, frequency_cap_count,
      frequency_cap_period, created_at, updated_at)
    SELECT ${tenant}, each.id, each.name, 'geo', 'Europe/Amsterdam', ${instant(now - 86_400_000)}, 1000,
      'day', ${at}, ${at}
    FROM (VALUES (${campaign}::uuid, 'Opening week'), (${waiting}::uuid, 'Visits')) AS each (id, name)`;
  yield* sql`
    INSERT INTO campaign_location (workspace_id, environment, campaign_id, location_id, position)
    SELECT ${tenant}, each.campaign, each.location, 1
    FROM (VALUES (${campaign}::uuid, ${location}::uuid), (${campaign}, ${cafe}::uuid),
      (${waiting}::uuid, ${cafe})) AS each (campaign, location)`;
  yield* sql`
    WITH revision AS (
      INSERT INTO content (workspace_id, environment, notification_id, type, headline, body, cta_label,
        cta_url, created_at)
      SELECT ${tenant}, ${notification}::uuid, 'message', 'Welcome in our store',
        'Show this message for a free coffee.', 'See the offer', 'https://example.com/offer', ${at}
      RETURNING key
    )
    INSERT INTO notification (workspace_id, environment, id, name, type, content_key, created_at, updated_at)
    SELECT ${tenant}, ${notification}::uuid, 'Welcome', 'message', key, ${at}, ${at} FROM revision`;
  yield* sql`
    INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id,
      trigger_type, attached_at, updated_at)
    SELECT ${tenant}, ${campaign}::uuid, ${notification}::uuid, ${idAt(now)}::uuid, 'on_enter', ${at}, ${at}`;
  yield* sql`
    INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id,
      trigger_type, dwell_minutes, attached_at, updated_at)
    SELECT ${tenant}, ${waiting}::uuid, ${notification}::uuid, ${idAt(now)}::uuid, 'on_dwell', 60, ${at},
      ${at}`;
  const secrets = Array.from({ length: devices }, makeSecret);
  yield* sql`
    INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport, approved,
      token_digest, token_used, registered_at, last_seen_at)
    SELECT ${tenant}, ord, id, 'installation-' || ord, 'android', 'inbox', true, digest, true, ${at}, ${at}
    FROM ${unnested("d", secrets, {
      id: ["uuid", () => idAt(now)],
      digest: ["bytea", digest],
    })}`;
  const [keys] = yield* sql<Keys>`
    SELECT l.key AS "locationKey", c.key AS "campaignKey", n.key AS "notificationKey",
      n.content_key AS "contentKey"
    FROM location l, campaign c, notification n
    WHERE l.id = ${location} AND c.id = ${campaign}`;
  yield* sql`ANALYZE`.unprepared;
  const event = { location_id: location, occurred_at: new Date(now).toISOString() };
  return { workspaceId, keys, secrets, event, cafe, campaign, notification };
});

/** Posts `count` events of alternating devices; each fires a message. */
const load = (
  url: string,
  devices: ReadonlyArray<Readonly<Record<string, string>>>,
  event: { readonly location_id: string; readonly occurred_at: string },
  count: number,
): Promise<Loaded> => {
  const start = '{"events":[{"id":"';
  const end = `","type":"enter","location_id":"${event.location_id}","occurred_at":"${event.occurred_at}"}]}`;
  const length = start.length + 36 + end.length;
  const heads = devices.map((headers) => postHead(url, headers, length) + start);
  let sent = 0;
  const request = (): string => `${heads[sent++ % heads.length]}${randomUUID()}${end}`;
  return requestLoad(url, connections, count, request, '"deliveries":[{"');
};

const bench = Effect.gen(function* () {
  const { prepared, baseline, waypost } = yield* programs(
    "EventsBaseline.ts",
    prepare,
    ({ campaign, keys, notification, workspaceId }) => {
      const message = {
        campaign_id: campaign,
        notification_id: notification,
        type: "message",
        headline: "Welcome in our store",
        body: "Show this message for a free coffee.",
        media: null,
        cta_label: "See the offer",
        cta_url: "https://example.com/offer",
        questions: [],
        opened_at: null,
        clicked_at: null,
      };
      return [JSON.stringify({ ...keys, workspaceId, message })];
    },
  );
  const key = { workspaceId: prepared.workspaceId, environment: "production" } as const;
  const deviceKeys = prepared.secrets.map((_, index) => ({ "x-device-key": String(index + 1) }));
  const tokens = prepared.secrets.map((secret, index) => ({
    authorization: `Bearer ${deviceToken({ ...key, deviceKey: DeviceKey(index + 1) }, secret)}`,
  }));
  const visit = { ...prepared.event, location_id: prepared.cafe };
  const [bare, own, dwelling] = yield* alternating(
    [
      {
        name: "node:http + pg",
        program: baseline,
        ask: (count) => load(`${baseline.origin}/events`, deviceKeys, prepared.event, count),
      },
      {
        name: "Waypost",
        program: waypost,
        ask: (count) => load(`${waypost.origin}/device/v1/events`, tokens, prepared.event, count),
      },
      {
        name: "Waypost with a dwell",
        program: waypost,
        ask: (count) => load(`${waypost.origin}/device/v1/events`, tokens, visit, count),
      },
    ],
    perRound,
  );
  if (bare === undefined || own === undefined || dwelling === undefined) return;
  const dwellRatio = (dwelling.cpu + dwelling.databaseCpu) / (own.cpu + own.databaseCpu);
  const ratio = own.perSecond / bare.perSecond;
  console.log(`
POST of an event that fires a message, from ${connections} connections
medians of ${rounds} rounds of ${perRound}
${lineOf("node:http + pg", bare)}
${lineOf("Waypost", own)}
${lineOf("Waypost with a dwell", dwelling)}
ratio ${ratio.toFixed(2)} (bar: ${bar.toFixed(2)})
CPU with a dwell to without ${dwellRatio.toFixed(2)} (bar: ${dwellBar})`);
  if (ratio < bar || dwellRatio > dwellBar) process.exitCode = 1;
});

bench.pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"), NodeRuntime.runMain);
