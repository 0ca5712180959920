import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { documentNames } from "../../src/ApiDocuments.ts";
import { testOperatorKey, TestWaypost } from "../TestWaypost.ts";
import { type Endpoint, everyEndpoint } from "./Endpoints.ts";
import type { GoodRequest } from "./Example.ts";
import { exampleOf } from "./Examples.ts";
import { type Ground, makeGround, roomyWorkspace } from "./Ground.ts";
import { Dice, type HostileRequest, hostileRequest } from "./HostileRequests.ts";
import { assertUnchanged, takeSnapshot } from "./Snapshot.ts";

const seed = 20_261_121;
/** Requests to each interface. */
const counts = { platform: 5000, device: 1500, operator: 1500 };
const longestMillis = 100_000;

/** Every code with the status that it comes with, as the documentation of errors has them. */
const codes: Readonly<Record<string, number>> = {
  missing_token: 401,
  invalid_token: 401,
  token_revoked: 401,
  token_expired: 401,
  unauthenticated: 401,
  wrong_environment: 403,
  workspace_paused: 403,
  platform_api_not_enabled: 403,
  missing_ability: 403,
  limit_exceeded: 403,
  trial_ended: 403,
  device_token_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_in_progress: 409,
  media_in_use: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  invalid_parameter: 422,
  invalid_cursor: 422,
  rate_limited: 429,
  too_many_failed_attempts: 429,
};
const withFields = new Set(["validation_failed", "invalid_parameter", "limit_exceeded"]);

const isSentence = (text: unknown): boolean =>
  typeof text === "string" &&
  /^[\p{Lu}"“]/u.test(text) &&
  /[.)…]$/.test(text) &&
  // What was sent may be named: some of it is just such a word.
  !/\{field\}|undefined|\[object/.test(text.replaceAll(/"[^"]*"|“[^”]*”/g, ""));

interface Heard {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** What is wrong with an answer, or null. */
const complaint = ({ headers, status, text }: Heard): string | null => {
  if (status >= 500) return "a fault of ours";
  if (headers.get("x-request-id") === null) return "no X-Request-Id";
  if (status === 204) return null;
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    return "no JSON";
  }
  if (status < 300) return "data" in body ? null : "no data";
  const { error, ...rest } = body;
  if (Object.keys(rest).length > 0) return "more than an error";
  const { code, fields, message, ...more } = error ?? {};
  if (Object.keys(more).length > 0) return "more than code, message and fields";
  if (codes[code] !== status) return `the code ${code} with ${status}`;
  if (!isSentence(message)) return "a message that is no sentence";
  if ((fields !== undefined) !== withFields.has(code)) return `fields with ${code}, or none`;
  for (const [name, messages] of Object.entries<any>(fields ?? {})) {
    if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isSentence))
      return `fields.${name} says no sentence`;
  }
  return null;
};

const shown = ({ body, headers, method, path }: HostileRequest): string => {
  const text = body instanceof Uint8Array ? Buffer.from(body).toString("latin1").slice(0, 400) : "";
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)}\n  ${JSON.stringify(text)}`;
};

layer(TestWaypost.layer)("Hostile requests", (it) => {
  const credentialOf = (endpoint: Endpoint, ground: Ground, good: GoodRequest): string =>
    good.credential ??
    (endpoint.of === "operator"
      ? testOperatorKey
      : endpoint.of === "platform"
        ? ground.credentials.platform
        : endpoint.takesSdkKey
          ? ground.credentials.sdk
          : ground.credentials.device);

  const ask = Effect.fnUntraced(function* (
    ground: Ground,
    endpoint: Endpoint,
    good: GoodRequest,
    { body, headers, method, path }: HostileRequest,
  ) {
    const { origin } = yield* TestWaypost;
    const base = endpoint.of === "platform" ? "/sandbox/platform/v1" : `/${endpoint.of}/v1`;
    return yield* Effect.promise(async (): Promise<Heard> => {
      const response = await fetch(origin + base + path, {
        method,
        body,
        signal: AbortSignal.timeout(longestMillis),
        headers: {
          authorization: `Bearer ${credentialOf(endpoint, ground, good)}`,
          ...(body instanceof Uint8Array ? { "content-type": "application/json" } : {}),
          ...headers,
        },
      });
      return { status: response.status, text: await response.text(), headers: response.headers };
    });
  });

  for (const name of documentNames) {
    it.effect(
      `hostile requests to the ${name} interface get a well-formed error or succeed, never 5xx ` +
        "(B3, B4, B6, errors.hostile)",
      () =>
        Effect.gen(function* () {
          const ground = yield* makeGround(yield* roomyWorkspace, "sandbox");
          const dice = new Dice(seed);
          const endpoints = everyEndpoint.filter(({ of }) => of === name);
          const goods = yield* Effect.forEach(endpoints, (endpoint) => exampleOf(endpoint).request(ground));
          const requests = Array.from({ length: counts[name] }, (_, at) => {
            const endpoint = endpoints[at % endpoints.length] as Endpoint;
            const good = goods[at % endpoints.length] ?? {};
            return { endpoint, good, request: hostileRequest(dice, endpoint, good) };
          });
          const seen = new Map<number, number>();
          const complaints = (yield* Effect.forEach(
            requests,
            ({ endpoint, good, request }) =>
              Effect.map(ask(ground, endpoint, good, request), (heard) => {
                seen.set(heard.status, (seen.get(heard.status) ?? 0) + 1);
                const wrong = complaint(heard);
                return wrong === null
                  ? []
                  : [`${wrong}: ${shown(request)}\n  ${heard.status} ${heard.text.slice(0, 500)}`];
              }),
            { concurrency: 24 },
          )).flat();
          assert.deepStrictEqual(
            complaints.slice(0, 5),
            [],
            `${complaints.length} of ${requests.length} (seed ${seed})`,
          );
          // The requests are not all alike: many are taken, more are refused for what is in them.
          assert.isAbove(seen.get(200) ?? 0, counts[name] / 50);
          assert.isAbove(seen.get(422) ?? 0, counts[name] / 10);
        }),
    );
  }

  it.effect("refused hostile requests change nothing (B1, errors.hostile)", () =>
    Effect.gen(function* () {
      const ground = yield* makeGround(yield* roomyWorkspace, "sandbox");
      const dice = new Dice(seed + 1);
      let refused = 0;
      let before = yield* takeSnapshot;
      for (let i = 0; i < 6; i++) {
        for (const endpoint of everyEndpoint.filter(({ method }) => method !== "GET")) {
          const good = yield* exampleOf(endpoint).request(ground);
          before = yield* takeSnapshot;
          const request = hostileRequest(dice, endpoint, good);
          const { status, text } = yield* ask(ground, endpoint, good, request);
          if (status < 400) continue;
          refused++;
          yield* assertUnchanged(before, `${shown(request)}\n  ${status} ${text}`);
        }
      }
      assert.isAbove(refused, 60);
    }),
  );
});
