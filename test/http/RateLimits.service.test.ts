import { assert, layer } from "@effect/vitest";
import { Clock, Context, Effect, Layer } from "effect";
import { TestClock } from "effect/testing";
import { RateLimits } from "../../src/http/RateLimits.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { type Answer, TestWaypost } from "../TestWaypost.ts";

const statuses = (answers: ReadonlyArray<Answer>) =>
  Object.fromEntries(
    [...new Set(answers.map(({ status }) => status))]
      .sort((a, b) => a - b)
      .map((status) => [status, answers.filter((answer) => answer.status === status).length]),
  );

layer(TestWaypost.layer)("Rate limits", (it) => {
  it.effect(
    "exactly the limit of concurrent requests is granted, and the others get Retry-After " +
      "(A5.4, I1.5, errors.rate_limited, limits.429)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { sandbox } = yield* waypost.tenant({ plan: { sandbox_requests_per_minute: 30 } });
        const answers = yield* Effect.all(
          Array.from({ length: 50 }, () => sandbox("/me")),
          { concurrency: 50 },
        );
        assert.deepStrictEqual(statuses(answers), { 200: 30, 429: 20 });
        const remaining = answers
          .filter(({ status }) => status === 200)
          .map(({ headers }) => Number(headers.get("x-ratelimit-remaining")));
        assert.deepStrictEqual(
          remaining.sort((a, b) => a - b),
          Array.from({ length: 30 }, (_, used) => used),
        );
        const refused = answers.find(({ status }) => status === 429);
        assert.strictEqual(refused?.body.error.code, "rate_limited");
        assert.strictEqual(refused?.headers.get("retry-after"), "60");
        assert.strictEqual(refused?.headers.get("x-ratelimit-limit"), "30");
        assert.strictEqual(refused?.headers.get("ratelimit-policy"), '"minute";q=30;w=60');
        assert.strictEqual(refused?.headers.get("ratelimit"), '"minute";r=0;t=60');
      }),
  );

  it.effect("each of concurrent changes shows what remains in every window after it (A5.3, I1.5)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox } = yield* waypost.tenant({
        plan: {
          sandbox_requests_per_minute: 30,
          sandbox_writes_per_minute: 20,
          sandbox_requests_per_day: 40,
        },
      });
      const change = sandbox("/nowhere", { method: "POST" });
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => change),
        { concurrency: 20 },
      );
      const shown = answers.map(({ headers }) => headers.get("ratelimit"));
      const window = (name: string, left: number, seconds: number) => `"${name}";r=${left};t=${seconds}`;
      const expected = Array.from({ length: 20 }, (_, count) =>
        [
          window("minute", 29 - count, 60),
          window("writes", 19 - count, 60),
          window("day", 39 - count, 86400),
        ].join(", "),
      );
      assert.sameMembers(shown, expected);
    }),
  );

  it.effect(
    "a window opens with its first request and lasts a minute; refused requests do not count (I1.4)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { sandbox } = yield* waypost.tenant({ plan: { sandbox_requests_per_minute: 2 } });
        assert.strictEqual((yield* sandbox("/me")).status, 200);
        yield* TestClock.adjust("59 seconds");
        assert.strictEqual((yield* sandbox("/me")).status, 200);
        const refused = yield* sandbox("/me");
        assert.strictEqual(refused.status, 429);
        assert.strictEqual(refused.headers.get("retry-after"), "1");
        yield* TestClock.adjust("1 second");
        assert.strictEqual((yield* sandbox("/me")).status, 200);
        assert.strictEqual((yield* sandbox("/me")).status, 200);
        assert.strictEqual((yield* sandbox("/me")).status, 429);
      }),
  );

  it.effect("a window that the clock has left behind ends, after a jump back as after one ahead (I1.4)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const plan = { sandbox_requests_per_minute: 1, sandbox_requests_per_day: 2 };
      const { sandbox } = yield* waypost.tenant({ plan });
      const began = yield* Clock.currentTimeMillis;
      for (const hours of [0, 30, 0, -30, 0]) {
        yield* TestClock.setTime(began + hours * 3_600_000);
        assert.strictEqual((yield* sandbox("/me")).status, 200, `${hours}`);
        assert.strictEqual((yield* sandbox("/me")).status, 429, `${hours}`);
      }
      yield* TestClock.adjust("1 minute");
      assert.strictEqual((yield* sandbox("/me")).status, 200);
    }),
  );

  it.effect("rate limits count by workspace and environment, not by token (I1.1)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox, production, workspace } = yield* waypost.tenant({
        plan: { sandbox_requests_per_minute: 1 },
      });
      const other = waypost.platform("sandbox", (yield* waypost.token(workspace, "sandbox")).token);
      assert.strictEqual((yield* sandbox("/me")).status, 200);
      assert.strictEqual((yield* other("/me")).status, 429);
      assert.strictEqual((yield* production("/me")).status, 200);
    }),
  );

  it.effect("changes also count in a window of their own, which reads do not show (A5.2, A5.3, I1)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox } = yield* waypost.tenant({
        plan: {
          sandbox_requests_per_minute: 30,
          sandbox_writes_per_minute: 1,
          sandbox_requests_per_day: 1000,
        },
      });
      const first = yield* sandbox("/nowhere", { method: "POST" });
      assert.strictEqual(first.status, 404);
      assert.strictEqual(first.headers.get("x-ratelimit-limit"), "1");
      assert.strictEqual(first.headers.get("x-ratelimit-remaining"), "0");
      assert.strictEqual((yield* sandbox("/nowhere", { method: "POST" })).status, 429);
      const read = yield* sandbox("/me");
      assert.strictEqual(read.headers.get("x-ratelimit-remaining"), "28");
      assert.strictEqual(read.headers.get("ratelimit-policy"), '"minute";q=30;w=60, "day";q=1000;w=86400');
    }),
  );

  it.effect("the limit of a day outlasts the minute, and Retry-After is the end of the day (A5.4, I1)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox } = yield* waypost.tenant({ plan: { sandbox_requests_per_day: 2 } });
      yield* sandbox("/me");
      yield* TestClock.adjust("10 minutes");
      yield* sandbox("/me");
      const refused = yield* sandbox("/me");
      assert.strictEqual(refused.status, 429);
      assert.strictEqual(refused.headers.get("retry-after"), String(86_400 - 600));
    }),
  );

  it.effect(
    "without a plan the documented limits apply, with the end of their windows (A5.2, I1.2, limits.sandbox)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const made = (yield* waypost.operator("/workspaces", { body: { name: "By default" } })).body.data;
        const policy = (environment: "sandbox" | "production", method: string) =>
          Effect.gen(function* () {
            const body = { name: "t", environment, abilities: ["reports:read"] };
            const { token } = (yield* waypost.operator(`/workspaces/${made.id}/tokens`, { body })).body.data;
            const { headers } = yield* waypost.platform(environment, token)("/me", { method });
            const reset = Number(headers.get("x-ratelimit-reset")) * 1000;
            assert.strictEqual(reset, (yield* Clock.currentTimeMillis) + 60_000);
            return headers.get("ratelimit-policy");
          });
        const [requests, changes] = ['"minute";q=30;w=60', '"writes";q=10;w=60'];
        assert.strictEqual(yield* policy("sandbox", "POST"), `${requests}, ${changes}, "day";q=1000;w=86400`);
        assert.strictEqual(yield* policy("production", "GET"), '"minute";q=600;w=60');
        assert.strictEqual(yield* policy("production", "POST"), '"minute";q=600;w=60, "writes";q=120;w=60');
      }),
  );

  it.effect("a change counts as one whatever its parameters are (B4, I1)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox } = yield* waypost.tenant({ plan: { sandbox_writes_per_minute: 1 } });
      const change = sandbox("/nowhere?from=/segments/count", { method: "POST" });
      assert.strictEqual((yield* change).status, 404);
      assert.strictEqual((yield* change).status, 429);
    }),
  );

  it.effect("a request that is refused beside a granted one shows the limit as used up (A5, I1.5)", () =>
    Effect.gen(function* () {
      const { workspace } = yield* (yield* TestWaypost).tenant({ plan: { sandbox_requests_per_minute: 2 } });
      const { workspaceId } = yield* Effect.orDie((yield* Workspaces).find(workspace.id));
      const { take } = Context.get(yield* Layer.build(Layer.fresh(RateLimits.layer)), RateLimits);
      const tenant = { workspaceId, workspace, environment: "sandbox" } as const;
      // The last read waits for the first statement, and shares the next one with the change.
      const results = yield* Effect.all([take(tenant, false), take(tenant, false), take(tenant, true)], {
        concurrency: "unbounded",
      });
      assert.deepStrictEqual(
        results.filter(({ granted }) => !granted).map(({ windows }) => windows[0]?.remaining),
        [0],
      );
    }).pipe(Effect.scoped),
  );

  it.effect("a limit of more requests than anybody can send grants them all (I1.2)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { sandbox } = yield* waypost.tenant({ plan: { sandbox_requests_per_minute: 5_000_000_000 } });
      const { headers, status } = yield* sandbox("/me");
      assert.strictEqual(status, 200);
      assert.strictEqual(headers.get("x-ratelimit-limit"), "5000000000");
      assert.strictEqual(headers.get("x-ratelimit-remaining"), "4999999999");
    }),
  );

  it.effect("windows continue in another process and after a restart (I1.3)", () =>
    Effect.gen(function* () {
      const { sandbox, workspace } = yield* (yield* TestWaypost).tenant({
        plan: { sandbox_requests_per_minute: 3 },
      });
      const { workspaceId } = yield* Effect.orDie((yield* Workspaces).find(workspace.id));
      const tenant = { workspaceId, workspace, environment: "sandbox" } as const;
      const inNewProcess = Effect.flatMap(Layer.build(Layer.fresh(RateLimits.layer)), (context) =>
        Context.get(context, RateLimits).take(tenant, false),
      );
      const began = yield* Clock.currentTimeMillis;
      assert.strictEqual((yield* sandbox("/me")).status, 200);
      assert.isTrue((yield* inNewProcess).granted);
      yield* TestClock.adjust("30 seconds");
      const { granted, windows } = yield* inNewProcess;
      assert.isTrue(granted);
      assert.deepStrictEqual(
        windows.map(({ remaining, resetsAt }) => [remaining, resetsAt - began]),
        [[0, 60_000]],
      );
      assert.isFalse((yield* inNewProcess).granted);
      assert.strictEqual((yield* sandbox("/me")).status, 429);
    }).pipe(Effect.scoped),
  );
});
