import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { apnsCredentials, fcmCredentials, webPushCredentials } from "../sending/push/PushKeys.ts";
import { contentBody, questionIdKinds } from "./ContentExamples.ts";
import type { Example, Examples, ValidRequest } from "./Example.ts";
import type { MatrixFixture } from "./MatrixFixture.ts";
import { newWebhookBody, webhookBody } from "./PlatformExamples.ts";

const inEnvironment = (more: (fixture: MatrixFixture) => ValidRequest = () => ({})): Example => ({
  request: (fixture) =>
    Effect.sync(() => {
      const { params, ...rest } = more(fixture);
      return { params: { workspace: fixture.workspace.id, env: fixture.environment, ...params }, ...rest };
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

const issue =
  (path: (fixture: MatrixFixture) => string, body: (fixture: MatrixFixture) => object) =>
  (fixture: MatrixFixture) =>
    Effect.map(
      fixture.operator(path(fixture), { body: body(fixture) }),
      (answer) => answer.body.data.id as string,
    );

const newToken = issue(
  () => "/tokens",
  ({ environment }) => tokenDraft(environment),
);
const newKey = issue(
  ({ environment }) => `/${environment}/sdk-keys`,
  () => ({ name: "App" }),
);

const newContent = ({ make }: MatrixFixture) => make.content;

const newPerson = ({ make }: MatrixFixture) => make.person;
const newSegment = ({ make }: MatrixFixture) => make.segment;
const newWebhook = ({ make }: MatrixFixture) => make.webhook;

const withNew = (
  param: string,
  make: (fixture: MatrixFixture) => Effect.Effect<string>,
  body?: (fixture: MatrixFixture) => unknown,
): Example => ({
  request: (fixture) =>
    Effect.map(make(fixture), (id) => ({
      params: { workspace: fixture.workspace.id, env: fixture.environment, [param]: id },
      ...(body === undefined ? {} : { body: body(fixture) }),
    })),
});

const report: Example = {
  ...inEnvironment(({ resources }) => ({
    query: {
      campaign: resources["campaign"] ?? "",
      location: resources["location"] ?? "",
      location_group: resources["locationGroup"] ?? "",
    },
  })),
  idKinds: { "?campaign": "campaign", "?location": "location", "?location_group": "locationGroup" },
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
  "POST /workspaces/:workspace/tokens": inEnvironment(({ environment }) => ({
    body: tokenDraft(environment),
  })),
  "GET /workspaces/:workspace/tokens": workspaceOnly,
  "DELETE /workspaces/:workspace/tokens/:token": withNew("token", newToken),
  "POST /workspaces/:workspace/:env/sdk-keys": inEnvironment(() => ({ body: { name: "App" } })),
  "GET /workspaces/:workspace/:env/sdk-keys": inEnvironment(() => ({ query: { limit: "1" } })),
  "DELETE /workspaces/:workspace/:env/sdk-keys/:key": withNew("key", newKey),
  "GET /workspaces/:workspace/:env/transports": inEnvironment(),
  "PUT /workspaces/:workspace/:env/transports/fcm": inEnvironment(() => ({ body: fcmCredentials() })),
  "PUT /workspaces/:workspace/:env/transports/apns": inEnvironment(() => ({ body: apnsCredentials() })),
  "PUT /workspaces/:workspace/:env/transports/webpush": inEnvironment(() => ({ body: webPushCredentials })),
  "GET /workspaces/:workspace/:env/devices/:device/explain": {
    request: ({ environment, make, resources, workspace }) =>
      Effect.map(make.device, ({ device }) => ({
        params: { workspace: workspace.id, env: environment, device },
        query: { campaign: resources["campaign"] ?? "" },
      })),
    idKinds: { "?campaign": "campaign" },
  },
  "GET /health/report": { request: () => Effect.succeed({}) },
  "POST /console/addresses": { request: () => Effect.succeed({}) },
  "POST /workspaces/:workspace/:env/transports/:transport/test": {
    request: ({ environment, make, operator, workspace }) =>
      Effect.gen(function* () {
        yield* operator(`/${environment}/transports/webpush`, { method: "PUT", body: webPushCredentials });
        const { device } = yield* make.browser;
        return {
          params: { workspace: workspace.id, env: environment, transport: "webpush" },
          body: { device_id: device },
        };
      }),
    idKinds: { device_id: "device" },
  },
  "DELETE /workspaces/:workspace/:env/transports/:transport": withNew(
    "transport",
    ({ environment, operator }) =>
      Effect.as(
        operator(`/${environment}/transports/webpush`, { method: "PUT", body: webPushCredentials }),
        "webpush",
      ),
  ),
  "GET /workspaces/:workspace/:env/devices": inEnvironment(() => ({
    query: { approved: "true", platform: "ios" },
  })),
  "PATCH /workspaces/:workspace/:env/devices/:device": withNew(
    "device",
    ({ make }) => Effect.map(make.device, ({ device }) => device),
    () => ({ approved: false }),
  ),
  "DELETE /workspaces/:workspace/:env/devices/:device": withNew("device", ({ make }) =>
    Effect.map(make.device, ({ device }) => device),
  ),
  "POST /workspaces/:workspace/:env/devices/import": inEnvironment(() => ({
    body: `installation_id,platform,locale\r\n${randomUUID()},android,nl-NL\r\n`,
    contentType: "text/csv",
  })),
  "GET /workspaces/:workspace/:env/people/:user_id": withNew("user_id", newPerson),
  "DELETE /workspaces/:workspace/:env/people/:user_id": withNew("user_id", newPerson),
  "POST /workspaces/:workspace/:env/user-secret": inEnvironment(),
  "GET /workspaces/:workspace/:env/deliveries": {
    ...inEnvironment(({ resources }) => ({
      query: {
        campaign: resources["campaign"] ?? "",
        notification: resources["notification"] ?? "",
        device: resources["device"] ?? "",
        status: "delivered",
      },
    })),
    idKinds: { "?campaign": "campaign", "?notification": "notification", "?device": "device" },
  },
  "GET /workspaces/:workspace/:env/reports/summary": report,
  "GET /workspaces/:workspace/:env/reports/campaigns": report,
  "GET /workspaces/:workspace/:env/reports/locations": report,
  "GET /workspaces/:workspace/:env/reports/notifications": report,
  "GET /workspaces/:workspace/:env/reports/interactions": report,
  "GET /workspaces/:workspace/:env/reports/surveys": report,
  "POST /workspaces/:workspace/:env/notifications": {
    ...inEnvironment(() => ({ body: contentBody })),
    idKinds: questionIdKinds,
  },
  "GET /workspaces/:workspace/:env/notifications": inEnvironment(),
  "GET /workspaces/:workspace/:env/notifications/:notification": withNew("notification", newContent),
  "PATCH /workspaces/:workspace/:env/notifications/:notification": {
    ...withNew("notification", newContent, () => contentBody),
    idKinds: questionIdKinds,
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
    ...inEnvironment(({ resources }) => ({
      query: { campaign: resources["campaign"] ?? "", status: "scheduled" },
    })),
    idKinds: { "?campaign": "campaign" },
  },
  "GET /workspaces/:workspace/:env/activity": inEnvironment(() => ({
    query: { resource: "campaign", actor: "token", action: "create" },
  })),
  "POST /workspaces/:workspace/:env/locations/import": inEnvironment(() => ({
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
  "POST /workspaces/:workspace/:env/segments": inEnvironment(() => ({
    body: { name: `S ${randomUUID()}`, rule },
  })),
  "GET /workspaces/:workspace/:env/segments": inEnvironment(),
  "GET /workspaces/:workspace/:env/segments/:segment": withNew("segment", newSegment),
  "PATCH /workspaces/:workspace/:env/segments/:segment": withNew("segment", newSegment, () => ({ rule })),
  "DELETE /workspaces/:workspace/:env/segments/:segment": withNew("segment", newSegment),
  "GET /workspaces/:workspace/:env/webhooks": inEnvironment(),
  "POST /workspaces/:workspace/:env/webhooks": {
    request: (fixture) =>
      Effect.map(newWebhookBody(fixture), (body) => ({
        params: { workspace: fixture.workspace.id, env: fixture.environment },
        body,
      })),
  },
  "GET /workspaces/:workspace/:env/webhooks/:webhook": withNew("webhook", newWebhook),
  "PATCH /workspaces/:workspace/:env/webhooks/:webhook": withNew("webhook", newWebhook, () => webhookBody),
  "DELETE /workspaces/:workspace/:env/webhooks/:webhook": withNew("webhook", newWebhook),
  "POST /workspaces/:workspace/:env/webhooks/:webhook/secret": withNew("webhook", newWebhook),
  "GET /workspaces/:workspace/:env/webhooks/:webhook/attempts": withNew("webhook", newWebhook),
  "POST /workspaces/:workspace/:env/webhooks/:webhook/events/:event/resend": {
    request: ({ environment, make, workspace }) =>
      Effect.map(make.webhookEvent, (params) => ({
        params: { workspace: workspace.id, env: environment, ...params },
      })),
  },
  "POST /workspaces/:workspace/:env/webhooks/:webhook/test": withNew("webhook", newWebhook),
};
