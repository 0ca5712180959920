import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { abilities } from "../../src/access/Ability.ts";
import { Tokens } from "../../src/access/Tokens.ts";
import { eventIds } from "../../src/webhooks/EventId.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import type { Workspace } from "../../src/workspaces/Workspace.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { signIn } from "../console/TestSession.ts";
import { type Asks, given, ok } from "../given/Given.ts";
import { eventNow, pixel } from "../given/GivenBodies.ts";
import { TestWaypost, testOperatorKey, testSecretKey, testStart } from "../TestWaypost.ts";
import { platformEndpoints } from "./Endpoints.ts";

const choices = [{ text: "Bread" }, { text: "Cheese" }];
const questions = [{ question_text: "Which?", type: "SINGLE_CHOICE", choices }];

/** The form of an upload. */
export const upload = (): FormData => {
  const form = new FormData();
  form.set("file", new Blob([pixel], { type: "image/png" }), "pixel.png");
  form.set("name", "A pixel");
  return form;
};

const hasMedia = platformEndpoints.some(({ name }) => name === "POST /media");

/**
 * One environment of a workspace with a resource of each kind, and functions that make more. Examples use its
 * resources; the isolation matrix uses their ids in the requests of other fixtures.
 */
export const makeMatrixFixture = Effect.fnUntraced(function* (
  workspace: Workspace,
  environment: Environment,
) {
  const waypost = yield* TestWaypost;
  const tokens = yield* Tokens;
  const { workspaceId } = yield* Effect.orDie((yield* Workspaces).find(workspace.id));
  const sql = yield* SqlClient.SqlClient;
  const token = yield* waypost.token(workspace, environment, abilities);
  const sdkKey = yield* Effect.orDie(
    tokens.issueSdkKey(workspaceId, environment, ParsedBody.of({ name: "App" })),
  );
  const platform: Asks = waypost.platform(environment, token.token);
  const operator: Asks = (path, ask) => waypost.operator(`/workspaces/${workspace.id}${path}`, ask);

  const { campaign, content, notification, push, segment, sent, ...makers } = given(platform);

  /** Makes a location in a new group. */
  const location = Effect.gen(function* () {
    const group = `Group ${randomUUID()}`;
    const made = yield* makers.location({ group, external_id: randomUUID() });
    const [row] = ok(yield* platform(`/location-groups?name=${encodeURIComponent(group)}`));
    return { location: made, locationGroup: row.id as string, group };
  });

  const media = Effect.map(platform("/media", { body: upload() }), (answer) => ok(answer).id as string);

  /** Deletes the oldest webhooks when there are nearly as many as an environment can have. */
  const roomForWebhook = Effect.gen(function* () {
    const webhooks: Array<{ readonly id: string }> = ok(yield* platform("/webhooks?limit=100"));
    for (const { id } of webhooks.slice(12, -1)) ok(yield* platform(`/webhooks/${id}`, { method: "DELETE" }));
  });
  const activeWebhook = Effect.gen(function* () {
    yield* roomForWebhook;
    const body = { url: "http://127.0.0.1:9/hook", events: ["campaign.created"] };
    return ok(yield* platform("/webhooks", { body })).id as string;
  });
  const disable = (id: string) =>
    Effect.map(platform(`/webhooks/${id}`, { method: "PATCH", body: { status: "disabled" } }), ok);
  /** A disabled webhook: workers change nothing of it while a matrix compares tables. */
  const webhook = Effect.tap(activeWebhook, disable);

  const geoCampaign = Effect.flatMap(location, ({ location: id }) => campaign({ location_ids: [id] }));

  /** A webhook with a recorded event. */
  const webhookEvent = Effect.gen(function* () {
    const id = yield* activeWebhook;
    yield* geoCampaign;
    yield* disable(id);
    const [row] = yield* Effect.orDie(sql<{ readonly recording: bigint }>`
      SELECT recording FROM webhook_event WHERE webhook_id = ${id}`);
    return {
      webhook: id,
      event: eventIds(testSecretKey).idOf({ recording: row?.recording ?? 0n, index: 0 }),
    };
  });

  /** A geo campaign with a message. */
  const messageOnCampaign = Effect.gen(function* () {
    const campaignId = yield* geoCampaign;
    return { campaign: campaignId, notification: yield* notification(campaignId) };
  });

  /** A scheduled send of a new push campaign. */
  const send = Effect.gen(function* () {
    const campaignId = yield* push({ starts_at: "2026-12-01" });
    yield* sent(campaignId, "09:00");
    const [row] = ok(yield* platform(`/sends?campaign=${campaignId}`));
    return row.id as string;
  });

  const deviceWith = Effect.fnUntraced(function* (body: object) {
    const installation = randomUUID();
    const registered = ok(
      yield* waypost.device(sdkKey.sdk_key)(`/devices/${installation}`, { method: "PUT", body }),
    );
    ok(
      yield* operator(`/${environment}/devices/${registered.id}`, {
        method: "PATCH",
        body: { approved: true },
      }),
    );
    return { device: registered.id as string, installation, token: registered.device_token as string };
  });
  /** A registered and approved device with its token. */
  const device = Effect.suspend(() => deviceWith({ platform: "ios" }));
  /** The user id of a person with a device. */
  const person = Effect.suspend(() => {
    const user_id = `user-${randomUUID()}`;
    return Effect.as(deviceWith({ platform: "ios", user_id }), user_id);
  });
  /** A device with an address of Web Push, where nothing listens. */
  const browser = Effect.suspend(() => {
    const keys = { p256dh: `B${"A".repeat(86)}`, auth: "A".repeat(22) };
    return deviceWith({
      platform: "web",
      push: { transport: "webpush", endpoint: "http://127.0.0.1:9/push", keys },
    });
  });

  /** A device with a survey in its inbox, from a campaign of its own. */
  const surveyed = Effect.gen(function* () {
    const target = yield* location;
    const campaignId = yield* campaign({ location_ids: [target.location] });
    const survey = yield* notification(campaignId, { type: "survey", questions });
    const owner = yield* device;
    const event = yield* eventNow(target.location, { occurred_at: new Date(testStart).toISOString() });
    const [received] = ok(
      yield* waypost.device(owner.token)("/events", { body: { events: [event] } }),
    ).deliveries;
    if (received === undefined) throw new Error("The survey did not reach the device");
    return {
      ...owner,
      ...target,
      campaign: campaignId,
      survey,
      message: received.id as string,
      question: received.questions[0].id as string,
      choice: received.questions[0].choices[0].id as string,
    };
  });

  const onCampaign = yield* messageOnCampaign;
  const inbox = yield* surveyed;
  const issued = yield* Effect.orDie(
    tokens.issueToken(workspaceId, ParsedBody.of({ name: "Another", environment, abilities })),
  );

  /** The id of a resource of each kind, by the name of the path parameter. */
  const resources: Readonly<Record<string, string>> = {
    workspace: workspace.id,
    env: environment,
    location: inbox.location,
    locationGroup: inbox.locationGroup,
    segment: yield* segment(),
    campaign: onCampaign.campaign,
    notification: onCampaign.notification,
    survey: inbox.survey,
    question: inbox.question,
    choice: inbox.choice,
    device: inbox.device,
    message: inbox.message,
    token: issued.id,
    ...(yield* webhookEvent),
    key: sdkKey.id,
    ...(hasMedia ? { media: yield* media } : {}),
  };

  const session = Effect.map(
    signIn(waypost.origin, { access_key: testOperatorKey }),
    ({ answer }) => ok(answer).id as string,
  );

  return {
    environment,
    workspace,
    workspaceId,
    credentials: { platform: token.token, sdk: sdkKey.sdk_key, device: inbox.token },
    platform,
    operator,
    make: {
      location,
      media,
      segment: Effect.suspend(() => segment()),
      webhook,
      webhookEvent,
      roomForWebhook,
      content: Effect.suspend(() => content()),
      geoCampaign,
      push,
      notification,
      sent,
      messageOnCampaign,
      device,
      person,
      browser,
      surveyed,
      campaign,
      send,
      session,
    },
    resources,
  };
});

/** The environment that an example uses, with its resources. */
export type MatrixFixture = Effect.Success<ReturnType<typeof makeMatrixFixture>>;

/** A workspace without the plan limits that a long matrix would exceed. */
export const unlimitedWorkspace = Effect.flatMap(TestWaypost, ({ workspace }) =>
  workspace({ plan: { max_campaigns: null, max_locations: null, max_notifications: null } }),
);

/** Three separate fixtures: a workspace's Sandbox, its Production, and another workspace's Sandbox. */
export const makeMatrixFixtures = Effect.gen(function* () {
  const workspace = yield* unlimitedWorkspace;
  const other = yield* unlimitedWorkspace;
  return {
    mine: yield* makeMatrixFixture(workspace, "sandbox"),
    otherEnvironment: yield* makeMatrixFixture(workspace, "production"),
    otherWorkspace: yield* makeMatrixFixture(other, "sandbox"),
  };
});
