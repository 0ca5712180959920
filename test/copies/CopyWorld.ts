import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { mediaWorld } from "../media/MediaWorld.ts";
import { geo, push } from "../campaigns/CampaignWorld.ts";
import { message, sent } from "../notifications/NotificationWorld.ts";
import { given, ok } from "../given/Given.ts";
import { box, pointFeature, polygonFeature } from "../locations/Features.ts";
import { TestWaypost } from "../TestWaypost.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";

/** A circle as the import takes it. */
export const circle = (name: string, properties: object = {}, point = [4.9, 52.37]) =>
  pointFeature({ name, ...properties }, point);

/** No resource made or matched but these. */
export const counts = (some: object = {}) => ({
  notifications: 0,
  media: 0,
  locations: 0,
  location_groups: 0,
  segments: 0,
  ...some,
});

/** Keys whose bytes are stored without a file. */
export const strayKeys = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly key: string }>`SELECT key FROM media_garbage WHERE arriving`,
);

/** A tenant whose operator copies campaigns. */
export const copyWorld = (options?: Parameters<typeof mediaWorld>[0]) =>
  Effect.gen(function* () {
    const world = yield* mediaWorld(options);
    const waypost = yield* TestWaypost;
    const sql = yield* SqlClient.SqlClient;
    const base = `/workspaces/${world.workspace.id}`;

    const { campaign } = given(world.sandbox);

    return {
      ...world,
      features: (environment: Environment, ...sent: ReadonlyArray<object>) =>
        given(world[environment]).locations(...sent),
      operator: (environment: Environment, path: string, ask?: Parameters<typeof waypost.operator>[1]) =>
        waypost.operator(`${base}/${environment}${path}`, ask),
      /** Copies a campaign of Sandbox, to Production unless the body says otherwise. */
      copy: (id: string, body: object = {}, query = "", headers: Readonly<Record<string, string>> = {}) =>
        waypost.operator(`${base}/sandbox/campaigns/${id}/copy${query}`, {
          body: { environment: "production", ...body },
          headers,
        }),
      campaign,
      geoCampaign: (locationIds: ReadonlyArray<string>, more?: object) => campaign(geo(locationIds, more)),
      add: (campaign: string, body: object) =>
        Effect.map(world.sandbox(`/campaigns/${campaign}/notifications`, { body }), ok),
      groupNamed: (name: string, environment: Environment = "sandbox") =>
        Effect.map(
          world[environment](`/location-groups?name=${encodeURIComponent(name)}`),
          (answer) => ok(answer)[0],
        ),
      /** How many rows of each table the workspace has in Production. */
      inProduction: Effect.gen(function* () {
        const found: Record<string, number> = {};
        for (const table of tables) {
          const [row] = yield* sql<{ readonly count: number }>`
            SELECT count(*)::int AS count FROM ${sql(table)}
            WHERE workspace_id = ${world.workspaceId} AND environment = 'production'`;
          found[table] = row?.count ?? 0;
        }
        return found;
      }),
    };
  });

const tables = [
  "campaign",
  "notification",
  "content",
  "campaign_notification",
  "location",
  "location_group",
  "location_group_member",
  "segment",
  "media_file",
  "send",
  "activity",
  "webhook_event",
];

/** Nothing in Production. */
export const nothing = Object.fromEntries(tables.map((table) => [table, 0]));

/** A campaign of Sandbox that sets every field that a geo campaign can have, with three notifications. */
export const fullGeoCampaign = Effect.fnUntraced(function* (
  world: Effect.Success<ReturnType<typeof copyWorld>>,
) {
  const [circleId = "", squareId = ""] = yield* world.features(
    "sandbox",
    circle("Dam", { external_id: "dam" }),
    { ...polygonFeature(box(4.9, 52, 4.91, 52.01)), properties: { name: "Park", external_id: "park" } },
    circle("Pier", { group: "Piers" }, [4.8, 52.3]),
  );
  for (const id of [circleId, squareId])
    ok(yield* world.sandbox(`/locations/${id}`, { method: "PATCH", body: { address: `At ${id}` } }));
  const group = yield* world.groupNamed("Piers");
  const campaign = yield* world.geoCampaign([squareId, circleId], {
    name: "Opening week",
    location_group_ids: [group.id],
    ends_at: "2026-12-31 18:00",
    frequency_cap_count: 3,
    frequency_cap_period: "week",
    cap_by: "user",
    quiet_hours: { from: "22:00", to: "07:00", action: "hold" },
    cooldown_minutes: 60,
    holdout_percent: 12.5,
    goal: { type: "visit", within_hours: 72, location_ids: [circleId], location_group_ids: [group.id] },
  });
  const file = yield* world.file({ content: "image of a cup", name: "Cup" });
  yield* world.add(
    campaign,
    message({
      name: "First",
      media_asset_id: file.id,
      cta_label: "Look",
      cta_url: "shop://offers/{{ device.attributes.city }}",
      template: "liquid",
      translations: { nl: { headline: "Hallo" } },
      variants: [{ key: "b", weight: 40, headline: "Hi", media_asset_id: file.id }],
      starts_at: "2026-12-01",
      ends_at: "2026-12-02 12:00",
    }),
  );
  yield* world.add(
    campaign,
    message({
      name: "Second",
      media_asset_id: file.id,
      trigger_type: "on_dwell",
      trigger_config: { minutes: 10, max_silence_minutes: 5 },
    }),
  );
  const questions = [
    { question_text: "Which?", type: "SINGLE_CHOICE", choices: [{ text: "Bread" }, { text: "Cheese" }] },
    { question_text: "Why?", type: "OPEN_ENDED", required: true },
  ];
  yield* world.add(campaign, message({ name: "Third", type: "survey", questions, trigger_type: "on_exit" }));
  return { campaign, file };
});

/** A push campaign of Sandbox to two segments, sent at two times. */
export const fullPushCampaign = Effect.fnUntraced(function* (
  world: Effect.Success<ReturnType<typeof copyWorld>>,
) {
  const segments = [yield* world.segment("Gold"), yield* world.segment("Silver")];
  const campaign = yield* world.campaign(
    push({
      segmentation_ids: segments,
      segment_match: "all",
      max_per_minute: 500,
      recurrence: { rule: "FREQ=DAILY;INTERVAL=2", except: ["2026-12-01"] },
      ends_at: "2027-03-31",
    }),
  );
  yield* world.add(campaign, sent("09:30", { name: "Morning", push: { sound: "bell", badge: 2 } }));
  const local = { send_at: "18:00", local: true, late: "skip" };
  yield* world.add(campaign, sent("18:00", { name: "Evening", trigger_config: local }));
  return { campaign, segments };
});

/** An event campaign of Sandbox to a segment, whose notification waits for its minute. */
export const fullEventCampaign = Effect.fnUntraced(function* (
  world: Effect.Success<ReturnType<typeof copyWorld>>,
) {
  const segments = [yield* world.segment("Buyers")];
  const draft = { name: "Basket", type: "event", starts_at: "2026-11-27" };
  const campaign = yield* world.campaign({ ...draft, segmentation_ids: segments });
  const where = { match: "all", conditions: [{ attribute: "total", op: "gte", value: 50 }] };
  const config = { event: "basket.filled", where, delay_minutes: 60, unless_event: "order.placed" };
  yield* world.add(
    campaign,
    message({ name: "Left behind", trigger_type: "on_event", trigger_config: config }),
  );
  return { campaign };
});
