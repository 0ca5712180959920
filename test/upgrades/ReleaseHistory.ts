import { Clock, Effect } from "effect";
import type { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { Retention } from "../../src/reports/retention/Retention.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { Pacing } from "../../src/sending/pacing/Pacing.ts";
import { BatchSize } from "../../src/sending/sends/Send.ts";
import { SendBatches } from "../../src/sending/sends/SendBatches.ts";
import { SendStarts } from "../../src/sending/sends/SendStarts.ts";
import { everyEndpoint } from "../matrices/Endpoints.ts";
import { describeAnswer, exampleOf, send } from "../matrices/Examples.ts";
import { signIn } from "../console/TestSession.ts";
import { type MatrixFixture, makeMatrixFixture, unlimitedWorkspace } from "../matrices/MatrixFixture.ts";
import { ok } from "../given/Given.ts";
import { campaignBody } from "../given/GivenBodies.ts";
import { insertCrowd } from "../sending/sends/SendWorld.ts";
import { fcmCredentials } from "../sending/push/PushKeys.ts";
import { type asker, TestWaypost, testStart } from "../TestWaypost.ts";

/** Calls every endpoint once, each change with a new idempotency key. */
export const useEverything = Effect.fnUntraced(function* (fixture: MatrixFixture, endpoints = everyEndpoint) {
  for (const endpoint of endpoints) {
    const request = yield* exampleOf(endpoint).request(fixture);
    const headers = endpoint.takesKey ? { "idempotency-key": randomUUID() } : {};
    const answer = yield* send(fixture, endpoint, request, { headers });
    if (answer.status >= 300) throw new Error(`${endpoint.name}: ${describeAnswer(answer)}`);
  }
});

/** Starts due sends and runs up to this many batches of ten. */
export const work = (batches: number) =>
  Effect.gen(function* () {
    yield* (yield* (yield* SendStarts).startDue).report;
    const { runNext } = yield* SendBatches;
    for (let done = 0; done < batches && (yield* runNext); done++);
  }).pipe(Effect.provideService(BatchSize, 10));

/** The number of devices that the interrupted send targets. */
export const crowd = 60;

/** Creates sixty devices and a push campaign with three sends: done, half done and planned. */
const sends = Effect.fnUntraced(function* ({ make, workspaceId }: MatrixFixture) {
  yield* insertCrowd({ workspaceId, environment: "production" }, crowd);
  const segmentation_ids = [yield* make.segment];
  yield* make.push({ name: "Some", starts_at: "2027-01-01", segmentation_ids });
  const campaign = yield* make.push({ name: "Three sends" });
  for (const time of ["12:10", "12:20", "12:50"]) yield* make.sent(campaign, time);
  yield* TestClock.setTime(testStart + 10 * 60_000);
  yield* work(100);
  yield* TestClock.setTime(testStart + 20 * 60_000);
  yield* work(2);
});

/**
 * A campaign with two sends within a minute. It gets a limit between them, which begins with the first one's
 * delivery; those of the second one wait.
 */
const paced = Effect.fnUntraced(function* ({ make, platform }: MatrixFixture) {
  const fields = campaignBody({ type: "push", name: "Paced" });
  const campaign = yield* make.campaign(fields);
  for (const time of ["12:05", "12:06"]) yield* make.sent(campaign, time);
  yield* TestClock.setTime(testStart + 5.5 * 60_000);
  yield* work(10);
  yield* TestClock.setTime(testStart + 6 * 60_000);
  const body = { ...fields, max_per_minute: 60 };
  ok(yield* platform(`/campaigns/${campaign}`, { method: "PATCH", body }));
  yield* (yield* SendStarts).startDue;
  yield* (yield* Pacing).releaseDue;
});

/** An erasure that is not complete. */
const erasure = Effect.fnUntraced(function* ({ make, operator }: MatrixFixture) {
  ok(yield* operator(`/production/people/${yield* make.person}`, { method: "DELETE" }));
});

const DAY = 86_400_000;

/** Creates a visit of a month ago and the message that it triggered, which is opened. All are compacted. */
const longAgo = Effect.fnUntraced(function* ({ make }: MatrixFixture) {
  const waypost = yield* TestWaypost;
  const then = testStart - 30 * DAY;
  yield* TestClock.setTime(then);
  const { location } = yield* make.location;
  const starts_at = new Date(then).toISOString().slice(0, 10);
  yield* make.notification(yield* make.campaign({ starts_at, location_ids: [location] }));
  const { token } = yield* make.device;
  const occurred_at = new Date(then).toISOString();
  const event = { id: randomUUID(), type: "enter", location_id: location, occurred_at };
  const device = waypost.device(token);
  const { deliveries } = ok(yield* device("/events", { body: { events: [event] } }));
  ok(yield* device(`/messages/${deliveries[0].id}/opened`, { method: "POST" }));
  yield* TestClock.setTime(testStart);
});

/**
 * Creates visits of a device over two weeks, of which the first are compacted and the last is not in the
 * rollups, nor is an answer to a survey, and a push that waits for its service. Returns the device's token.
 */
const visitsOfTwoWeeks = Effect.fnUntraced(function* (fixture: MatrixFixture) {
  const waypost = yield* TestWaypost;
  const { location } = yield* fixture.make.location;
  const campaign = yield* fixture.make.campaign({ location_ids: [location] });
  yield* fixture.make.notification(campaign, { trigger_type: "on_exit" });
  const afterAnHour = { trigger_type: "on_dwell", trigger_config: { minutes: 60 } };
  yield* fixture.make.notification(campaign, afterAnHour);
  ok(yield* fixture.operator("/production/transports/fcm", { method: "PUT", body: fcmCredentials() }));
  const phone = yield* fixture.make.device;
  const pushed = ok(
    yield* waypost.device(fixture.credentials.sdk)(`/devices/${phone.installation}`, {
      method: "PUT",
      body: { platform: "android", push: { transport: "fcm", token: "a-token" } },
    }),
  );
  const event = (type: string, days: number, hours: number) => ({
    id: randomUUID(),
    type,
    location_id: location,
    occurred_at: new Date(testStart - days * DAY + hours * 3_600_000).toISOString(),
  });
  const report = (events: ReadonlyArray<unknown>) =>
    Effect.map(waypost.device(pushed.device_token)("/events", { body: { events } }), ok);
  const visits = [14, 9, 3, 1].flatMap((days) => [event("enter", days, 0), event("exit", days, 2)]);
  yield* report(visits);
  const { step } = yield* Rollups;
  while (yield* step);
  const { compact } = yield* Retention;
  yield* compact("events", testStart - 10 * DAY);
  yield* compact("deliveries", testStart - 10 * DAY);
  const { device, survey, ...asked } = yield* fixture.make.surveyed;
  const { choice, message, question, token } = asked;
  const answers = [{ question_id: question, value: choice }];
  ok(yield* waypost.device(token)(`/messages/${message}/clicked`, { method: "POST" }));
  ok(yield* waypost.device(token)(`/messages/${message}/answers`, { body: { answers } }));
  const test = ok(
    yield* fixture.platform(`/campaigns/${asked.campaign}/notifications/${survey}/test`, {
      body: { device_ids: [device] },
    }),
  ).deliveries[0];
  ok(yield* waypost.device(token)(`/messages/${test.id}/answers`, { body: { answers } }));
  yield* report([event("enter", 0, -0.2)]);
  const { deliveries } = yield* report([event("exit", 0, -0.1)]);
  if (deliveries.length !== 1) throw new Error("The exit triggered no delivery");
  return pushed.device_token as string;
});

/** The workspace of a history, and the tokens to read it. */
export interface HistoryAccess {
  readonly workspace: string;
  readonly tokens: { readonly sandbox: string; readonly production: string };
  readonly devices: { readonly sandbox: string; readonly production: string };
}

/** Creates rows in every table through the APIs, from 12:00 to 12:20 of the day on which tests start. */
export const makeHistory: Effect.Effect<
  HistoryAccess,
  never,
  | TestWaypost
  | SqlClient.SqlClient
  | Rollups
  | Retention
  | SendStarts
  | SendBatches
  | Pacing
  | Effect.Services<typeof unlimitedFixture>
> = Effect.gen(function* () {
  const waypost = yield* TestWaypost;
  const workspace = yield* unlimitedWorkspace;
  const sandbox = yield* makeMatrixFixture(workspace, "sandbox");
  yield* useEverything(sandbox);
  const production = yield* makeMatrixFixture(workspace, "production");
  yield* longAgo(production);
  const device = yield* visitsOfTwoWeeks(production);
  yield* paced(sandbox);
  yield* sends(production);
  yield* erasure(production);
  ok((yield* signIn(waypost.origin, { access_key: sandbox.credentials.platform })).answer);
  // Guesses a token.
  yield* waypost.platform("production", "no-token-of-anybody")("/me");
  return {
    workspace: workspace.id,
    tokens: { sandbox: sandbox.credentials.platform, production: production.credentials.platform },
    devices: { sandbox: sandbox.credentials.device, production: device },
  };
}).pipe(Effect.orDie);

const unlimitedFixture = Effect.flatMap(unlimitedWorkspace, (workspace) =>
  makeMatrixFixture(workspace, "sandbox"),
);

const month = "start=2026-10-01&end=2026-11-30";
const reports = ["summary", "campaigns", "locations", "notifications", "interactions", "surveys"];

/** Reads everything of the workspace. Returns the responses by path, and their time. */
export const observe = Effect.fnUntraced(function* (access: HistoryAccess) {
  const waypost = yield* TestWaypost;
  const seen: Record<string, unknown> = {};
  const read = (name: string, path: string, api: ReturnType<typeof asker>) =>
    Effect.map(api(path), (answer) => {
      seen[`${name} ${path}`] = ok(answer);
      return ok(answer);
    });
  for (const environment of ["sandbox", "production"] as const) {
    const platform = waypost.platform(environment, access.tokens[environment]);
    for (const path of ["/me", "/locations?limit=100", "/location-groups?limit=100", "/media?limit=100"])
      yield* read(environment, path, platform);
    for (const report of reports) yield* read(environment, `/reports/${report}?${month}`, platform);
    for (const { id } of yield* read(environment, "/campaigns?limit=100", platform))
      yield* read(environment, `/campaigns/${id}/notifications`, platform);
    const own = `/workspaces/${access.workspace}/${environment}`;
    for (const list of [
      "sdk-keys",
      "devices",
      "deliveries",
      "sends",
      "segments",
      "notifications",
      "activity",
    ])
      yield* read("operator", `${own}/${list}?limit=100`, waypost.operator);
    yield* read("operator", `${own}/transports`, waypost.operator);
    yield* read(environment, "/messages?limit=100", waypost.device(access.devices[environment]));
  }
  for (const path of ["", "/tokens"])
    yield* read("operator", `/workspaces/${access.workspace}${path}`, waypost.operator);
  // The origin and the times of the last use differ between runs.
  const volatile = new Set(["last_used_at", "last_seen_at"]);
  const text = JSON.stringify(seen, (key, value: unknown) => (volatile.has(key) ? undefined : value), 1);
  return {
    at: yield* Clock.currentTimeMillis,
    seen: JSON.parse(text.replaceAll(waypost.origin, "http://origin")) as Record<string, unknown>,
  };
});
