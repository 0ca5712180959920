import { Effect } from "effect";
import { type Answer, asker, testOperatorKey, TestWaypost } from "../TestWaypost.ts";
import { contentExamples } from "./ContentExamples.ts";
import { locationExamples } from "./LocationExamples.ts";
import { deviceExamples } from "./DeviceExamples.ts";
import { type Endpoint, fill } from "./Endpoints.ts";
import type { Example, Examples, ValidRequest } from "./Example.ts";
import type { MatrixFixture } from "./MatrixFixture.ts";
import { operatorExamples } from "./OperatorExamples.ts";
import { platformExamples } from "./PlatformExamples.ts";
import { webhookExamples } from "./WebhookExamples.ts";

const examples: Readonly<Record<Endpoint["api"], Examples>> = {
  platform: { ...platformExamples, ...webhookExamples, ...locationExamples, ...contentExamples },
  device: deviceExamples,
  operator: operatorExamples,
};

/** The file of an interface's examples. */
export const exampleFileOf = (api: Endpoint["api"]): string =>
  `test/matrices/${api[0]?.toUpperCase()}${api.slice(1)}Examples.ts`;

/** How to use an endpoint. Throws for an endpoint without an example, so that no matrix leaves one out. */
export const exampleOf = (endpoint: Endpoint): Example => {
  const example = examples[endpoint.api][endpoint.name];
  if (example !== undefined) return example;
  throw new Error(
    `${endpoint.name} of the ${endpoint.api} interface has no example. ` +
      `Add one to ${exampleFileOf(endpoint.api)}: a request that succeeds, on resources of its own, and ` +
      "the kind of each id in its body and query. All matrices then cover the endpoint.",
  );
};

/** The credential of the fixture that an endpoint accepts. */
export const credentialOf = (
  { api, byOperator, takesSdkKey }: Endpoint,
  credentials: MatrixFixture["credentials"],
): string => {
  if (api === "operator" || byOperator) return testOperatorKey;
  if (api === "platform") return credentials.platform;
  return takesSdkKey ? credentials.sdk : credentials.device;
};

/** Sends a request to an endpoint with the credential of the fixture, or with another one. */
export const send = Effect.fnUntraced(function* (
  fixture: MatrixFixture,
  endpoint: Endpoint,
  request: ValidRequest,
  options: { readonly credential?: string | null; readonly headers?: Readonly<Record<string, string>> } = {},
) {
  const { origin } = yield* TestWaypost;
  const { environment } = fixture;
  const base =
    endpoint.api !== "platform"
      ? `/${endpoint.api}/v1`
      : environment === "sandbox"
        ? "/sandbox/platform/v1"
        : "/platform/v1";
  const credential =
    options.credential === undefined
      ? (request.credential ?? credentialOf(endpoint, fixture.credentials))
      : options.credential;
  const query = new URLSearchParams(request.query).toString();
  const path = fill(endpoint.path, request.params ?? {});
  const headers = {
    ...(endpoint.byOperator ? { "waypost-workspace": fixture.workspace.id } : {}),
    ...(request.contentType === undefined ? {} : { "content-type": request.contentType }),
    ...options.headers,
  };
  return yield* asker(origin + base, credential)(`${path}${query === "" ? "" : `?${query}`}`, {
    method: endpoint.method,
    ...(request.body === undefined ? {} : { body: request.body }),
    headers,
  });
});

/** Status and body of an answer in one line, for messages of failed assertions. */
export const describeAnswer = ({ body, status }: Answer): string =>
  `${status} ${JSON.stringify(body).slice(0, 600)}`;
