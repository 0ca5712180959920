import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { apnsCredentials, fcmCredentials, webPushCredentials } from "../sending/push/PushKeys.ts";
import { about, type Example, type Examples, plain, type ValidRequest, withNew } from "./Example.ts";
import type { MatrixFixture } from "./MatrixFixture.ts";

const inEnvironment = (more: (fixture: MatrixFixture) => ValidRequest = () => ({})) =>
  about((_, fixture) => {
    const { params, ...rest } = more(fixture);
    return { params: { workspace: fixture.workspace.id, env: fixture.environment, ...params }, ...rest };
  });

const workspaceOnly = about((_, { workspace }) => ({ params: { workspace: workspace.id } }));

const tokenDraft = (environment: string) => ({
  name: "Back office",
  environment,
  abilities: ["reports:read"],
  expires_at: "2027-01-01T00:00:00Z",
});

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

const newPerson = ({ make }: MatrixFixture) => make.person;

const aboutNew = (
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

/** How to use each endpoint of the operator interface. */
export const operatorExamples: Examples = {
  "POST /workspaces": about(() => ({
    body: { name: `Acme ${randomUUID()}`, timezone: "Europe/Amsterdam", plan: { max_campaigns: 5 } },
  })),
  "GET /workspaces": plain({ query: { limit: "2" } }),
  "GET /workspaces/:workspace": workspaceOnly,
  "PATCH /workspaces/:workspace": about((_, { workspace }) => ({
    params: { workspace: workspace.id },
    body: { name: `Acme ${randomUUID()}`, default_frequency_cap: null, plan: { surveys: true } },
  })),
  "POST /workspaces/:workspace/tokens": inEnvironment(({ environment }) => ({
    body: tokenDraft(environment),
  })),
  "GET /workspaces/:workspace/tokens": workspaceOnly,
  "DELETE /workspaces/:workspace/tokens/:token": aboutNew("token", newToken),
  "POST /workspaces/:workspace/:env/sdk-keys": inEnvironment(() => ({ body: { name: "App" } })),
  "GET /workspaces/:workspace/:env/sdk-keys": inEnvironment(() => ({ query: { limit: "1" } })),
  "DELETE /workspaces/:workspace/:env/sdk-keys/:key": aboutNew("key", newKey),
  "GET /workspaces/:workspace/:env/transports": inEnvironment(),
  "PUT /workspaces/:workspace/:env/transports/fcm": inEnvironment(() => ({ body: fcmCredentials() })),
  "PUT /workspaces/:workspace/:env/transports/apns": inEnvironment(() => ({ body: apnsCredentials() })),
  "PUT /workspaces/:workspace/:env/transports/webpush": inEnvironment(() => ({ body: webPushCredentials })),
  "GET /health/report": plain(),
  "POST /console/addresses": plain(),
  "GET /console/sessions": plain({ query: { limit: "1" } }),
  "DELETE /console/sessions": plain({ query: { keep_current: "true" } }),
  "DELETE /console/sessions/:session": withNew("session", (session) => ({ params: { session } })),
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
  "DELETE /workspaces/:workspace/:env/transports/:transport": aboutNew(
    "transport",
    ({ environment, operator }) =>
      Effect.as(
        operator(`/${environment}/transports/webpush`, { method: "PUT", body: webPushCredentials }),
        "webpush",
      ),
  ),
  "DELETE /workspaces/:workspace/:env/devices/:device": aboutNew("device", ({ make }) =>
    Effect.map(make.device, ({ device }) => device),
  ),
  "POST /workspaces/:workspace/:env/devices/import": inEnvironment(() => ({
    body: `installation_id,platform,locale\r\n${randomUUID()},android,nl-NL\r\n`,
    contentType: "text/csv",
  })),
  "GET /workspaces/:workspace/:env/people/:user_id": aboutNew("user_id", newPerson),
  "DELETE /workspaces/:workspace/:env/people/:user_id": aboutNew("user_id", newPerson),
  "POST /workspaces/:workspace/:env/user-secret": inEnvironment(),
};
