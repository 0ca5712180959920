import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { apnsCredentials, fcmCredentials, webPushCredentials } from "../sending/push/PushKeys.ts";
import type { Example, Examples, GoodRequest } from "./Example.ts";
import type { Ground } from "./Ground.ts";
import { questionNames } from "./PlatformExamples.ts";

const on = (more: (ground: Ground) => GoodRequest = () => ({})): Example => ({
  request: (ground) =>
    Effect.sync(() => {
      const { params, ...rest } = more(ground);
      return { params: { workspace: ground.workspace.id, env: ground.environment, ...params }, ...rest };
    }),
});

const workspaceOnly: Example = {
  request: ({ workspace }) => Effect.succeed({ params: { workspace: workspace.id } }),
};

const tokenDraft = (environment: string) => ({
  name: "Back office",
  environment,
  abilities: ["reports:read"],
  expires_at: "2027-01-01T00:00:00Z",
});

const rule = { match: "any", conditions: [{ attribute: "platform", op: "in", value: ["ios", "web"] }] };

const issued = (path: (ground: Ground) => string, body: (ground: Ground) => object) => (ground: Ground) =>
  Effect.map(
    ground.operator(path(ground), { body: body(ground) }),
    (answer) => answer.body.data.id as string,
  );

const newToken = issued(
  () => "/tokens",
  ({ environment }) => tokenDraft(environment),
);
const newKey = issued(
  ({ environment }) => `/${environment}/sdk-keys`,
  () => ({ name: "App" }),
);

const content = {
  name: "Note",
  type: "survey",
  headline: "Hello",
  body: "World",
  questions: [
    { question_text: "Which?", type: "SINGLE_CHOICE", choices: [{ text: "Bread" }, { text: "Cheese" }] },
  ],
};
const newContent = ({ make }: Ground) => make.content;

const newSegment = ({ make }: Ground) => make.segment;

const withNew = (
  param: string,
  make: (ground: Ground) => Effect.Effect<string>,
  body?: (ground: Ground) => unknown,
): Example => ({
  request: (ground) =>
    Effect.map(make(ground), (id) => ({
      params: { workspace: ground.workspace.id, env: ground.environment, [param]: id },
      ...(body === undefined ? {} : { body: body(ground) }),
    })),
});

const report: Example = {
  ...on(({ things }) => ({
    query: {
      campaign: things["campaign"] ?? "",
      location: things["location"] ?? "",
      location_group: things["locationGroup"] ?? "",
    },
  })),
  names: { "?campaign": "campaign", "?location": "location", "?location_group": "locationGroup" },
};

/** How to use each endpoint of the operator interface. */
export const operatorExamples: Examples = {
  "POST /workspaces": {
    request: () =>
      Effect.sync(() => ({
        body: { name: `Acme ${randomUUID()}`, timezone: "Europe/Amsterdam", plan: { max_campaigns: 5 } },
      })),
  },
  "GET /workspaces": { request: () => Effect.succeed({ query: { limit: "2" } }) },
  "GET /workspaces/:workspace": workspaceOnly,
  "PATCH /workspaces/:workspace": {
    request: ({ workspace }) =>
      Effect.sync(() => ({
        params: { workspace: workspace.id },
        body: { name: `Acme ${randomUUID()}`, default_frequency_cap: null, plan: { surveys: true } },
      })),
  },
  "POST /workspaces/:workspace/tokens": on(({ environment }) => ({ body: tokenDraft(environment) })),
  "GET /workspaces/:workspace/tokens": workspaceOnly,
  "DELETE /workspaces/:workspace/tokens/:token": withNew("token", newToken),
  "POST /workspaces/:workspace/:env/sdk-keys": on(() => ({ body: { name: "App" } })),
  "GET /workspaces/:workspace/:env/sdk-keys": on(() => ({ query: { limit: "1" } })),
  "DELETE /workspaces/:workspace/:env/sdk-keys/:key": withNew("key", newKey),
  "GET /workspaces/:workspace/:env/transports": on(),
  "PUT /workspaces/:workspace/:env/transports/fcm": on(() => ({ body: fcmCredentials() })),
  "PUT /workspaces/:workspace/:env/transports/apns": on(() => ({ body: apnsCredentials() })),
  "PUT /workspaces/:workspace/:env/transports/webpush": on(() => ({ body: webPushCredentials })),
  "DELETE /workspaces/:workspace/:env/transports/:transport": withNew(
    "transport",
    ({ environment, operator }) =>
      Effect.as(
        operator(`/${environment}/transports/webpush`, { method: "PUT", body: webPushCredentials }),
        "webpush",
      ),
  ),
  "GET /workspaces/:workspace/:env/devices": on(() => ({ query: { approved: "true", platform: "ios" } })),
  "PATCH /workspaces/:workspace/:env/devices/:device": withNew(
    "device",
    ({ make }) => Effect.map(make.device, ({ device }) => device),
    () => ({ approved: false }),
  ),
  "GET /workspaces/:workspace/:env/deliveries": {
    ...on(({ things }) => ({
      query: {
        campaign: things["campaign"] ?? "",
        notification: things["notification"] ?? "",
        device: things["device"] ?? "",
        status: "delivered",
      },
    })),
    names: { "?campaign": "campaign", "?notification": "notification", "?device": "device" },
  },
  "GET /workspaces/:workspace/:env/reports/summary": report,
  "GET /workspaces/:workspace/:env/reports/campaigns": report,
  "GET /workspaces/:workspace/:env/reports/locations": report,
  "GET /workspaces/:workspace/:env/reports/notifications": report,
  "GET /workspaces/:workspace/:env/reports/surveys": report,
  "POST /workspaces/:workspace/:env/notifications": {
    ...on(() => ({ body: content })),
    names: questionNames,
  },
  "GET /workspaces/:workspace/:env/notifications": on(),
  "GET /workspaces/:workspace/:env/notifications/:notification": withNew("notification", newContent),
  "PATCH /workspaces/:workspace/:env/notifications/:notification": {
    ...withNew("notification", newContent, () => content),
    names: questionNames,
  },
  "DELETE /workspaces/:workspace/:env/notifications/:notification": withNew("notification", newContent),
  "POST /workspaces/:workspace/:env/campaigns/:campaign/notifications/:notification/attach": {
    joins: true,
    request: ({ environment, make, workspace }) =>
      Effect.gen(function* () {
        const pair = { campaign: yield* make.geoCampaign, notification: yield* make.content };
        const params = { workspace: workspace.id, env: environment, ...pair };
        return { params, body: { trigger_type: "on_enter" } };
      }),
  },
  "POST /workspaces/:workspace/:env/campaigns/:campaign/notifications/:notification/detach": {
    request: ({ environment, make, workspace }) =>
      Effect.map(make.messageOnCampaign, (pair) => ({
        params: { workspace: workspace.id, env: environment, ...pair },
      })),
  },
  "GET /workspaces/:workspace/:env/sends": {
    ...on(({ things }) => ({ query: { campaign: things["campaign"] ?? "", status: "scheduled" } })),
    names: { "?campaign": "campaign" },
  },
  "POST /workspaces/:workspace/:env/locations/import": on(() => ({
    body: {
      type: "FeatureCollection",
      features: [
        {
          type: "Feature",
          geometry: { type: "Point", coordinates: [4.9, 52.37] },
          properties: { name: "Dam", radius: 100 },
        },
      ],
    },
  })),
  "POST /workspaces/:workspace/:env/segments": on(() => ({ body: { name: `S ${randomUUID()}`, rule } })),
  "GET /workspaces/:workspace/:env/segments": on(),
  "GET /workspaces/:workspace/:env/segments/:segment": withNew("segment", newSegment),
  "PATCH /workspaces/:workspace/:env/segments/:segment": withNew("segment", newSegment, () => ({ rule })),
  "DELETE /workspaces/:workspace/:env/segments/:segment": withNew("segment", newSegment),
};
