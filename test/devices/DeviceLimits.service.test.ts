import { assert, layer } from "@effect/vitest";
import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { DeviceLimits } from "../../src/devices/limits/DeviceLimits.ts";
import { openDeviceToken } from "../../src/devices/DeviceToken.ts";
import { DeviceKey } from "../../src/wire/Ids.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import type { PlanPatch } from "../../src/workspaces/Plan.ts";
import { type Answer, TestWaypost, testStart } from "../TestWaypost.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

const events = (count: number) => ({
  events: Array.from({ length: count }, () => ({
    id: randomUUID(),
    type: "custom",
    name: "app.opened",
    occurred_at: utcText(testStart),
  })),
});
const positions = (count: number) => ({
  positions: Array.from({ length: count }, (_, n) => ({
    latitude: 52,
    longitude: 5,
    accuracy_meters: 10,
    recorded_at: utcText(testStart - 1_000 * (count - n)),
  })),
});
const left = ({ headers }: Answer) => headers.get("x-ratelimit-remaining");
const retryAfter = ({ headers }: Answer) => headers.get("retry-after");

/** A workspace with these limits of its devices, and a device of each environment. */
const limited = (plan: PlanPatch) =>
  Effect.gen(function* () {
    const world = yield* givenWorkspace({ plan });
    const phone = yield* world.sandbox.device("phone-1");
    return { ...world, phone };
  });

/** The limits as another process has them, for a device. */
const processOf = (token: string, workspaceId: number, workspace: { readonly plan: unknown }) =>
  Effect.map(Layer.build(Layer.fresh(DeviceLimits.layer)), (context) => {
    const deviceKey = openDeviceToken(token)?.claims.deviceKey ?? DeviceKey(0);
    const device = { workspaceId, environment: "sandbox", workspace, deviceKey } as never;
    return Context.get(context, DeviceLimits).takeRequest(device);
  });

layer(TestWaypost.layer)("Limits of devices", (it) => {
  it.effect("a request beyond the limit of a device is 429 until its minute is over (TR2)", () =>
    Effect.gen(function* () {
      const { phone, production, sandbox } = yield* limited({ device_requests_per_minute: 3 });
      const shown = yield* Effect.replicateEffect(phone.ask("/messages"), 3);
      assert.deepStrictEqual(
        shown.map((answer) => [answer.status, left(answer), answer.headers.get("x-ratelimit-limit")]),
        [
          [200, "2", "3"],
          [200, "1", "3"],
          [200, "0", "3"],
        ],
      );
      yield* TestClock.adjust("20 seconds");
      const refused = yield* phone.ask("/nowhere");
      assert.deepStrictEqual([refused.status, refused.body.error.code], [429, "rate_limited"]);
      assert.match(refused.body.error.message, /This device's limit of 3 requests a minute/);
      assert.deepStrictEqual([retryAfter(refused), left(refused)], ["40", "0"]);
      // Other devices, the other environment and the app have limits of their own, or none.
      assert.strictEqual((yield* (yield* sandbox.device("phone-2")).ask("/messages")).status, 200);
      assert.strictEqual((yield* (yield* production.device("phone-1")).ask("/messages")).status, 200);
      const registered = yield* sandbox.register("phone-1", { platform: "ios" }, phone.token);
      assert.deepStrictEqual([registered.status, left(registered)], [200, null]);
      yield* TestClock.adjust("40 seconds");
      assert.deepStrictEqual([(yield* phone.ask("/messages")).status], [200]);
    }),
  );

  it.effect("of requests at once exactly so many succeed as the limit allows (TR2)", () =>
    Effect.gen(function* () {
      const { phone } = yield* limited({ device_requests_per_minute: 200 });
      const answers = yield* Effect.replicateEffect(phone.ask("/push-key"), 230, { concurrency: 50 });
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 200);
      assert.strictEqual(answers.filter(({ status }) => status === 429).length, 30);
    }),
  );

  it.effect(
    "events beyond the limit of a device are later, and with none left the request is 429 (TR2)",
    () =>
      Effect.gen(function* () {
        const { phone } = yield* limited({ device_events_per_minute: 5, device_requests_per_minute: 100 });
        const ask = (body: object) => phone.ask("/events", { body });
        const first = events(3);
        assert.deepStrictEqual((yield* ask(first)).body.data.accepted, 3);
        // Duplicates and rejected events count.
        const again = yield* ask({ events: [first.events[0], ...events(2).events] });
        const { accepted, duplicates, later } = again.body.data;
        assert.deepStrictEqual([again.status, accepted, duplicates, later], [200, 1, 1, [2]]);
        assert.deepStrictEqual([retryAfter(again), left(again)], ["60", "0"]);
        assert.strictEqual(again.headers.get("ratelimit-policy"), '"minute";q=100;w=60, "events";q=5;w=60');
        const full = yield* ask(events(1));
        assert.deepStrictEqual([full.status, full.body.error.code], [429, "rate_limited"]);
        assert.match(full.body.error.message, /This device's limit of 5 events a minute/);
        assert.deepStrictEqual([retryAfter(full), left(full)], ["60", "0"]);
        assert.strictEqual((yield* ask({ events: [] })).status, 422);
        assert.strictEqual((yield* phone.ask("/messages")).status, 200);
        yield* TestClock.adjust("1 minute");
        assert.strictEqual((yield* ask(events(5))).body.data.later, undefined);
      }),
  );

  it.effect("positions count as events, and those beyond the limit are later (TR2)", () =>
    Effect.gen(function* () {
      const { phone } = yield* limited({ device_events_per_minute: 4 });
      const some = yield* phone.ask("/positions", { body: positions(6) });
      assert.deepStrictEqual([some.body.data.accepted, some.body.data.later], [4, [4, 5]]);
      assert.strictEqual((yield* phone.ask("/events", { body: events(1) })).status, 429);
    }),
  );

  it.effect("events that the platform reports of a device do not count as its own (TR2)", () =>
    Effect.gen(function* () {
      const { phone, platform } = yield* limited({ device_events_per_minute: 1 });
      const reported = events(3).events.map((event) => ({ ...event, device_id: phone.id }));
      const answer = yield* platform.sandbox("/events", { body: { events: reported } });
      assert.strictEqual(answer.body.data.accepted, 3);
      assert.strictEqual((yield* phone.ask("/events", { body: events(1) })).status, 200);
    }),
  );

  it.effect("without limits a device is not counted, and shows no limit (TR2)", () =>
    Effect.gen(function* () {
      const { phone } = yield* limited({});
      const answer = yield* phone.ask("/events", { body: events(100) });
      assert.deepStrictEqual([answer.status, left(answer), retryAfter(answer)], [200, null, null]);
      const sql = yield* SqlClient.SqlClient;
      const key = openDeviceToken(phone.token)?.claims;
      const rows = yield* sql`SELECT FROM device_rate WHERE workspace_id = ${key?.workspaceId ?? 0}`;
      assert.strictEqual(rows.length, 0);
    }),
  );

  it.effect("a small limit holds exactly over processes that take turns or all at once (TR2)", () =>
    Effect.gen(function* () {
      const { phone, sandbox, workspace } = yield* limited({ device_requests_per_minute: 50 });
      const one = yield* processOf(phone.token, sandbox.workspaceId, workspace);
      const other = yield* processOf(phone.token, sandbox.workspaceId, workspace);
      const turns = yield* Effect.replicateEffect(Effect.all([one, other]), 10);
      assert.isTrue(turns.flat().every(({ granted }) => granted === 1));
      const both = [Effect.replicateEffect(one, 40, { concurrency: 40 })];
      const rest = yield* Effect.all([...both, Effect.replicateEffect(other, 40, { concurrency: 40 })], {
        concurrency: 2,
      });
      assert.strictEqual(rest.flat().filter(({ granted }) => granted === 1).length, 30);
    }).pipe(Effect.scoped),
  );

  it.effect("a process passes a limit by at most a hundredth for each further one (TR2)", () =>
    Effect.gen(function* () {
      const { phone, sandbox, workspace } = yield* limited({ device_requests_per_minute: 600 });
      const one = yield* processOf(phone.token, sandbox.workspaceId, workspace);
      const other = yield* processOf(phone.token, sandbox.workspaceId, workspace);
      const granted = (answers: ReadonlyArray<{ readonly granted: number }>) =>
        answers.filter((answer) => answer.granted === 1).length;
      assert.strictEqual(granted(yield* Effect.replicateEffect(other, 5)), 5);
      assert.strictEqual(granted(yield* Effect.replicateEffect(one, 650)), 600);
      assert.strictEqual(granted(yield* Effect.replicateEffect(other, 50)), 1);
    }).pipe(Effect.scoped),
  );

  it.effect("a device that uses little costs no statement, and a flood has one row for each kind (TR2)", () =>
    Effect.gen(function* () {
      const { phone } = yield* limited({ device_requests_per_minute: 600, device_events_per_minute: 6000 });
      const sql = yield* SqlClient.SqlClient;
      const workspaceId = openDeviceToken(phone.token)?.claims.workspaceId ?? 0;
      const rows = sql<{ readonly counted: string; readonly used: number }>`
        SELECT counted, used FROM device_rate WHERE workspace_id = ${workspaceId} ORDER BY counted`;
      const { prune } = yield* DeviceLimits;
      yield* TestClock.adjust("1 minute");
      yield* prune;
      yield* Effect.replicateEffect(phone.ask("/events", { body: events(10) }), 6);
      assert.deepStrictEqual(yield* rows, []);
      yield* Effect.replicateEffect(phone.ask("/events", { body: events(100) }), 3);
      assert.deepStrictEqual(
        (yield* rows).map(({ counted }) => counted),
        ["events", "requests"],
      );
      assert.strictEqual(yield* prune, 0);
      yield* TestClock.adjust("1 minute");
      assert.strictEqual(yield* prune, 2);
      assert.deepStrictEqual(yield* rows, []);
    }),
  );

  it.effect("limits of devices that are no whole numbers are 422 at plan.… (TR2)", () =>
    Effect.gen(function* () {
      const { waypost, workspace } = yield* limited({});
      const patch = (plan: object) =>
        waypost.operator(`/workspaces/${workspace.id}`, { method: "PATCH", body: { plan } });
      for (const key of ["device_requests_per_minute", "device_events_per_minute"])
        for (const value of [-1, 1.5, "600"]) {
          const refused = yield* patch({ [key]: value });
          assert.deepStrictEqual(
            [refused.status, Object.keys(refused.body.error.fields)],
            [422, [`plan.${key}`]],
          );
        }
      const changed = yield* patch({ device_requests_per_minute: null, device_events_per_minute: 9 });
      assert.deepInclude(changed.body.data.plan, {
        device_requests_per_minute: null,
        device_events_per_minute: 9,
      });
    }),
  );
});
