import { assert } from "@effect/vitest";
import { Effect } from "effect";
import type { DocumentName } from "../../src/ApiDocuments.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { type Endpoint, everyEndpoint } from "./Endpoints.ts";
import type { ValidRequest } from "./Example.ts";
import { credentialOf, exampleOf } from "./Examples.ts";
import { type HostileRequest, hostileRequest } from "./HostileRequests.ts";
import { type MatrixFixture, makeMatrixFixture, unlimitedWorkspace } from "./MatrixFixture.ts";
import { Dice } from "../sending/Dice.ts";
import { whileTimeMoves } from "./MovingTime.ts";

/** The seed of hostile requests. */
export const hostileSeed = 20_261_121;
const maxMillis = 100_000;

/** The status of every error code, from the documentation of errors. */
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
  user_hash_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_in_progress: 409,
  media_in_use: 409,
  experiment_running: 409,
  experiment_stopped: 409,
  experiment_not_running: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  invalid_parameter: 422,
  invalid_cursor: 422,
  rate_limited: 429,
  too_many_failed_attempts: 429,
};
const withFields = new Set([
  "validation_failed",
  "invalid_parameter",
  "limit_exceeded",
  "experiment_running",
]);

const isSentence = (text: unknown): boolean =>
  typeof text === "string" &&
  /^[\p{Lu}"“]/u.test(text) &&
  /[.)…]$/.test(text) &&
  // A quoted value of the request may be one of these words.
  !/\{field\}|undefined|\[object/.test(text.replaceAll(/"[^"]*"|“[^”]*”/g, ""));

interface RawAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** The rule that an answer breaks, or null. */
const violation = ({ headers, status, text }: RawAnswer): string | null => {
  if (status >= 500) return "an internal error";
  if (headers.get("x-request-id") === null) return "no X-Request-Id";
  if (headers.get("cache-control") !== "no-store") return "it may be cached";
  if (headers.get("x-content-type-options") !== "nosniff") return "its type may be guessed";
  if (status === 204) return null;
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    return "not JSON";
  }
  if (status < 300) return "data" in body ? null : "no data";
  const { error, ...rest } = body;
  if (Object.keys(rest).length > 0) return "more than an error";
  const { code, fields, message, ...more } = error ?? {};
  if (Object.keys(more).length > 0) return "more than code, message and fields";
  if (codes[code] !== status) return `the code ${code} with ${status}`;
  if (!isSentence(message)) return "the message is not a sentence";
  if ((fields !== undefined) !== withFields.has(code))
    return `fields are missing, or not allowed, with ${code}`;
  for (const [name, messages] of Object.entries<any>(fields ?? {})) {
    if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isSentence))
      return `fields.${name} is not a list of sentences`;
  }
  return null;
};

/** A hostile request as a text, for the message of a failure. */
export const describeRequest = ({ body, headers, method, path }: HostileRequest): string => {
  const text = body instanceof Uint8Array ? Buffer.from(body).toString("latin1").slice(0, 400) : "";
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)}\n  ${JSON.stringify(text)}`;
};

/** Sends a hostile request to the endpoint, with the credential of the valid one. */
export const askHostile = Effect.fnUntraced(function* (
  fixture: MatrixFixture,
  endpoint: Endpoint,
  valid: ValidRequest,
  { body, headers, method, path }: HostileRequest,
) {
  const { origin } = yield* TestWaypost;
  const base = endpoint.api === "platform" ? "/sandbox/platform/v1" : `/${endpoint.api}/v1`;
  const credential = valid.credential ?? credentialOf(endpoint, fixture.credentials);
  return yield* Effect.promise(async (): Promise<RawAnswer> => {
    const response = await fetch(origin + base + path, {
      method,
      body,
      signal: AbortSignal.timeout(maxMillis),
      headers: {
        authorization: `Bearer ${credential}`,
        ...(body instanceof Uint8Array ? { "content-type": valid.contentType ?? "application/json" } : {}),
        ...headers,
      },
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  });
});

/**
 * Sends so many hostile requests to an interface. Each gets a well-formed error or succeeds, and none an
 * internal error.
 */
export const walkHostileRequests = Effect.fnUntraced(function* (name: DocumentName, count: number) {
  const fixture = yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox");
  const random = new Dice(hostileSeed);
  const endpoints = everyEndpoint.filter(({ api }) => api === name);
  const validRequests = yield* Effect.forEach(endpoints, (endpoint) => exampleOf(endpoint).request(fixture));
  const requests = Array.from({ length: count }, (_, index) => {
    const endpoint = endpoints[index % endpoints.length] as Endpoint;
    const valid = validRequests[index % endpoints.length] ?? {};
    return { endpoint, valid, request: hostileRequest(random, endpoint, valid) };
  });
  const answersByStatus = new Map<number, number>();
  const violations: Array<string> = [];
  const check = Effect.fnUntraced(function* ({ endpoint, request, valid }: (typeof requests)[number]) {
    const answer = yield* askHostile(fixture, endpoint, valid, request);
    answersByStatus.set(answer.status, (answersByStatus.get(answer.status) ?? 0) + 1);
    const wrong = violation(answer);
    if (wrong === null) return;
    violations.push(`${wrong}: ${describeRequest(request)}\n  ${answer.status} ${answer.text.slice(0, 500)}`);
  });
  // A request waits by the clock for another one with its Idempotency-Key.
  yield* whileTimeMoves(Effect.forEach(requests, check, { concurrency: 8, discard: true }));
  assert.deepStrictEqual(
    violations.slice(0, 5),
    [],
    `${violations.length} of ${requests.length} (seed ${hostileSeed})`,
  );
  // The requests vary: 2 % or more are accepted, 10 % or more are refused for their content.
  assert.isAbove(answersByStatus.get(200) ?? 0, count / 50);
  assert.isAbove(answersByStatus.get(422) ?? 0, count / 10);
});
