/**
 * The bar of events: `POST /device/v1/events` with an event that fires a message, from 64 connections, at no
 * less than 0.8 of the rate of a baseline that does only the necessary inserts (EventsBaseline.ts), on
 * one durable PostgreSQL. The access log is on, as by default; the campaign has a cap, so that caps are
 * counted.
 *
 * A second location has on_dwell notifications besides: there, an event costs at most a fifth more CPU time,
 * that of PostgreSQL included. A custom event that fires the same message costs at most 1.3 times an enter.
 */
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { instant } from "../../src/database/Rows.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { insertReporters, workspaceKey } from "./BenchRows.ts";
import { BenchWorld, costs, runBench, stateLoad } from "./BenchWorld.ts";
import { postHead, requestLoad } from "./RequestLoad.ts";
import { newWorkspace } from "./ServiceApi.ts";
import { figure } from "./Rounds.ts";

const connections = 64;
const devices = 1_000;

interface Keys {
  readonly locationKey: number;
  readonly campaignKey: number;
  readonly notificationKey: number;
  readonly contentKey: number;
}

/** Inserts a campaign with a message at a location, one that waits at another, and a thousand devices. */
const prepare = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const now = yield* Clock.currentTimeMillis;
  const tenant = sql`${workspaceId}::integer AS workspace_id, 'production' AS environment`;
  const at = instant(now);
  const [location, campaign, notification] = [idAt(now), idAt(now), idAt(now)];
  const [cafe, waiting, baskets] = [idAt(now), idAt(now), idAt(now)];
  yield* sql`
    INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    SELECT ${tenant}, each.id, each.name, 'circle', 52, 5, 100, ${at}, ${at}
    FROM (VALUES (${location}::uuid, 'Shop'), (${cafe}::uuid, 'Cafe')) AS each (id, name)`;
  yield* sql`
    INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, frequency_cap_count,
      frequency_cap_period, created_at, updated_at)
    SELECT ${tenant}, each.id, each.name, each.type, 'Europe/Amsterdam', ${instant(now - 86_400_000)}, 1000,
      'day', ${at}, ${at}
    FROM (VALUES (${campaign}::uuid, 'Opening week', 'geo'), (${waiting}::uuid, 'Visits', 'geo'),
      (${baskets}::uuid, 'Baskets', 'event')) AS each (id, name, type)`;
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
      trigger_type, dwell_minutes, event, attached_at, updated_at)
    SELECT ${tenant}, each.campaign, ${notification}::uuid, gen_random_uuid(), each.type, each.minutes,
      each.event::jsonb, ${at}, ${at}
    FROM (VALUES (${campaign}::uuid, 'on_enter', NULL, NULL), (${waiting}::uuid, 'on_dwell', 60, NULL),
      (${baskets}::uuid, 'on_event', NULL,
        '{"name": "basket.filled", "where": null, "delayMinutes": null, "unless": null}'))
      AS each (campaign, type, minutes, event)`;
  const tokens = yield* insertReporters(workspaceId, devices);
  const [keys] = yield* sql<Keys>`
    SELECT l.key AS "locationKey", c.key AS "campaignKey", n.key AS "notificationKey",
      n.content_key AS "contentKey"
    FROM location l, campaign c, notification n
    WHERE l.id = ${location} AND c.id = ${campaign}`;
  yield* sql`ANALYZE`.unprepared;
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
  return { tokens, location, cafe, argument: { ...keys, workspaceId, message } };
});

/** Posts events of alternating devices; each fires a message. */
const events = (url: string, devices: ReadonlyArray<Readonly<Record<string, string>>>, event: object) => {
  const start = '{"events":[{"id":"';
  const occurred_at = new Date().toISOString();
  const end = `",${JSON.stringify({ ...event, occurred_at }).slice(1)}]}`;
  const length = start.length + 36 + end.length;
  const heads = devices.map((headers) => postHead(url, headers, length) + start);
  let sent = 0;
  const request = (): string => `${heads[sent++ % heads.length]}${randomUUID()}${end}`;
  return (count: number) => requestLoad(url, connections, count, request, '"deliveries":[{"');
};

const enter = (location_id: string) => ({ type: "enter", location_id });
const custom = { type: "custom", name: "basket.filled", properties: { total: 59.9, currency: "EUR" } };

const bench = Effect.gen(function* () {
  const waypost = yield* BenchWorld.waypost();
  const { id } = yield* newWorkspace(waypost.origin, ["campaigns:read"]);
  const { argument, cafe, location, tokens } = yield* prepare(yield* workspaceKey(id));
  const baseline = yield* BenchWorld.baseline("EventsBaseline.ts", argument);
  const keys = tokens.map((_, index) => ({ "x-device-key": String(index + 1) }));
  const headers = tokens.map((token) => ({ authorization: `Bearer ${token}` }));
  const url = `${waypost.origin}/device/v1/events`;
  const { bare, dwelling, happening, own } = yield* BenchWorld.compare(6_000, {
    bare: { pid: baseline.pid, load: events(`${baseline.origin}/events`, keys, enter(location)) },
    own: { pid: waypost.pid, load: events(url, headers, enter(location)) },
    dwelling: { pid: waypost.pid, load: events(url, headers, enter(cafe)) },
    happening: { pid: waypost.pid, load: events(url, headers, custom) },
  });
  const what = `enters that fire a message, from ${connections} connections`;
  stateLoad("enter", what, own, ["node:http and pg", bare], { rate: 0.8 });
  const beside = ["an enter that fires", costs(own)] as const;
  figure("dwell", "CPU of an enter where a dwell rule waits, too", "µs", costs(dwelling), {
    beside,
    atMost: 1.2,
  });
  figure("custom", "CPU of a custom event that fires a message", "µs", costs(happening), {
    beside,
    atMost: 1.3,
  });
});

runBench(bench);
