import { Effect } from "effect";
import { type Answer, asker, testOperatorKey, TestWaypost } from "../TestWaypost.ts";
import { deviceExamples } from "./DeviceExamples.ts";
import { type Endpoint, fill } from "./Endpoints.ts";
import type { Example, Examples, GoodRequest } from "./Example.ts";
import type { Ground } from "./Ground.ts";
import { operatorExamples } from "./OperatorExamples.ts";
import { platformExamples } from "./PlatformExamples.ts";

const examples: Readonly<Record<Endpoint["of"], Examples>> = {
  platform: platformExamples,
  device: deviceExamples,
  operator: operatorExamples,
};

/** Where to write down how an endpoint is used. */
export const pageOf = (of: Endpoint["of"]): string =>
  `test/matrices/${of[0]?.toUpperCase()}${of.slice(1)}Examples.ts`;

/** How to use an endpoint. One without an example fails every matrix, so that it cannot slip through them. */
export const exampleOf = (endpoint: Endpoint): Example => {
  const example = examples[endpoint.of][endpoint.name];
  if (example !== undefined) return example;
  throw new Error(
    `${endpoint.name} of the ${endpoint.of} interface has no example: add one to ${pageOf(endpoint.of)}. It gives a request that ` +
      "succeeds, on things of its own, and says what each id in its body and query names. All matrices then cover it.",
  );
};

/** Which interface's credential an endpoint wants, on this ground. */
const credentialOf = ({ of, takesSdkKey }: Endpoint, { credentials }: Ground): string =>
  of === "operator"
    ? testOperatorKey
    : of === "platform"
      ? credentials.platform
      : takesSdkKey
        ? credentials.sdk
        : credentials.device;

/** Sends a request to an endpoint as the ground's own client, or with another credential. */
export const send = Effect.fnUntraced(function* (
  ground: Ground,
  endpoint: Endpoint,
  request: GoodRequest,
  more: { readonly credential?: string | null; readonly headers?: Readonly<Record<string, string>> } = {},
) {
  const { origin } = yield* TestWaypost;
  const { environment } = ground;
  const base =
    endpoint.of !== "platform"
      ? `/${endpoint.of}/v1`
      : environment === "sandbox"
        ? "/sandbox/platform/v1"
        : "/platform/v1";
  const credential =
    more.credential === undefined ? (request.credential ?? credentialOf(endpoint, ground)) : more.credential;
  const query = new URLSearchParams(request.query).toString();
  const path = fill(endpoint.path, request.params ?? {});
  return yield* asker(origin + base, credential)(`${path}${query === "" ? "" : `?${query}`}`, {
    method: endpoint.method,
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(more.headers === undefined ? {} : { headers: more.headers }),
  });
});

/** What an answer says, in one line for the message of a failed assertion. */
export const told = ({ body, status }: Answer): string => `${status} ${JSON.stringify(body).slice(0, 600)}`;
