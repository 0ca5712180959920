import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { abilities } from "../../src/access/Ability.ts";
import { Tokens } from "../../src/access/Tokens.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import type { Workspace } from "../../src/workspaces/Workspace.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { type Answer, type Ask, TestWaypost, testStart } from "../TestWaypost.ts";
import { platformEndpoints } from "./Endpoints.ts";

type Asks = (path: string, ask?: Ask) => Effect.Effect<Answer>;

const ok = (answer: Answer): any => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data;
};

const message = { name: "Note", type: "message", headline: "Hello", body: "World" };
const choices = [{ text: "Bread" }, { text: "Cheese" }];
const questions = [{ question_text: "Which?", type: "SINGLE_CHOICE", choices }];

/** The smallest image: one pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** The form of an upload. */
export const upload = (): FormData => {
  const form = new FormData();
  form.set("file", new Blob([png], { type: "image/png" }), "pixel.png");
  form.set("name", "A pixel");
  return form;
};

const isMediaThere = platformEndpoints.some(({ name }) => name === "POST /media");

/** A point with its radius, as imports take it. */
export const circle = (properties: object = {}) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.9, 52.37] },
  properties: { name: "Store", radius: 100, ...properties },
});

/**
 * One environment of a workspace with one thing of every kind in it, and ways to make more: what examples stand on. Things of one ground
 * are hostile ids on another.
 */
export const makeGround = Effect.fnUntraced(function* (workspace: Workspace, environment: Environment) {
  const waypost = yield* TestWaypost;
  const tokens = yield* Tokens;
  const { workspaceId } = yield* Effect.orDie((yield* Workspaces).find(workspace.id));
  const token = yield* waypost.token(workspace, environment, abilities);
  const sdkKey = yield* Effect.orDie(
    tokens.issueSdkKey(workspaceId, environment, ParsedBody.of({ name: "App" })),
  );
  const platform: Asks = waypost.platform(environment, token.token);
  const operator: Asks = (path, ask) => waypost.operator(`/workspaces/${workspace.id}${path}`, ask);

  /** Makes a location in a new group, and gives both their ids and the group's name. */
  const location = Effect.gen(function* () {
    const group = `Group ${randomUUID()}`;
    const { results } = ok(
      yield* platform("/locations/import", {
        body: { type: "FeatureCollection", features: [circle({ group, external_id: randomUUID() })] },
      }),
    );
    const [found] = ok(yield* platform(`/location-groups?name=${encodeURIComponent(group)}`));
    return { location: results[0].id as string, locationGroup: found.id as string, group };
  });

  const media = Effect.map(platform("/media", { body: upload() }), (answer) => ok(answer).id as string);

  const segment = Effect.suspend(() => {
    const rule = { match: "all", conditions: [{ attribute: "platform", op: "eq", value: "ios" }] };
    return operator(`/${environment}/segments`, { body: { name: `Segment ${randomUUID()}`, rule } });
  }).pipe(Effect.map((answer) => ok(answer).id as string));

  /** Content that is on no campaign. */
  const content = Effect.suspend(() => operator(`/${environment}/notifications`, { body: message })).pipe(
    Effect.map((answer) => ok(answer).id as string),
  );

  const campaign = (body: object) =>
    Effect.map(
      platform("/campaigns", {
        body: { name: `Campaign ${randomUUID()}`, timezone: "UTC", starts_at: "2026-11-21", ...body },
      }),
      (answer) => ok(answer).id as string,
    );
  const geoCampaign = Effect.flatMap(location, ({ location: id }) =>
    campaign({ type: "geo", location_ids: [id] }),
  );
  const pushCampaign = campaign({ type: "push", starts_at: "2026-12-01" });

  const notification = (on: string, body: object = {}) =>
    Effect.map(
      platform(`/campaigns/${on}/notifications`, { body: { ...message, trigger_type: "on_enter", ...body } }),
      (answer) => ok(answer),
    );
  /** A geo campaign with a message on it. */
  const messageOnCampaign = Effect.gen(function* () {
    const on = yield* geoCampaign;
    return { campaign: on, notification: (yield* notification(on)).id as string };
  });

  /** A registered device that messages reach, and its own token. */
  const device = Effect.gen(function* () {
    const installation = randomUUID();
    const registered = ok(
      yield* waypost.device(sdkKey.sdk_key)(`/devices/${installation}`, {
        method: "PUT",
        body: { platform: "ios" },
      }),
    );
    ok(
      yield* operator(`/${environment}/devices/${registered.id}`, {
        method: "PATCH",
        body: { approved: true },
      }),
    );
    return { device: registered.id as string, installation, token: registered.device_token as string };
  });

  /** A device with a survey in its inbox, sent by a campaign of its own. */
  const surveyed = Effect.gen(function* () {
    const place = yield* location;
    const on = yield* campaign({ type: "geo", location_ids: [place.location] });
    const survey = yield* notification(on, { type: "survey", questions });
    const owner = yield* device;
    const event = {
      id: randomUUID(),
      type: "enter",
      location_id: place.location,
      occurred_at: new Date(testStart).toISOString(),
    };
    const [received] = ok(
      yield* waypost.device(owner.token)("/events", { body: { events: [event] } }),
    ).deliveries;
    if (received === undefined) throw new Error("The survey did not reach the device");
    return {
      ...owner,
      ...place,
      campaign: on,
      survey: survey.id as string,
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

  /** One thing of each kind, by the name that path parameters and examples give the kind. */
  const things: Readonly<Record<string, string>> = {
    workspace: workspace.id,
    env: environment,
    location: inbox.location,
    locationGroup: inbox.locationGroup,
    segment: yield* segment,
    campaign: onCampaign.campaign,
    notification: onCampaign.notification,
    survey: inbox.survey,
    question: inbox.question,
    choice: inbox.choice,
    device: inbox.device,
    message: inbox.message,
    token: issued.id,
    key: sdkKey.id,
    ...(isMediaThere ? { media: yield* media } : {}),
  };

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
      segment,
      content,
      geoCampaign,
      pushCampaign,
      notification,
      messageOnCampaign,
      device,
      surveyed,
      campaign,
    },
    things,
  };
});

/** Where an example stands. */
export type Ground = Effect.Success<ReturnType<typeof makeGround>>;

/** A workspace without the limits that a long matrix would meet. */
export const roomyWorkspace = Effect.flatMap(TestWaypost, ({ workspace }) =>
  workspace({ plan: { max_campaigns: null, max_locations: null, max_notifications: null } }),
);

/** Three grounds that share nothing: a workspace's Sandbox, its Production, and another workspace's Sandbox. */
export const makeGrounds = Effect.gen(function* () {
  const workspace = yield* roomyWorkspace;
  const other = yield* roomyWorkspace;
  return {
    mine: yield* makeGround(workspace, "sandbox"),
    otherEnvironment: yield* makeGround(workspace, "production"),
    otherWorkspace: yield* makeGround(other, "sandbox"),
  };
});
