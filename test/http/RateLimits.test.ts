import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { type Answer, TestWaypost } from "../TestWaypost.ts";

const statuses = (answers: ReadonlyArray<Answer>) =>
  Object.fromEntries(
    [...new Set(answers.map(({ status }) => status))]
      .sort((a, b) => a - b)
      .map((status) => [status, answers.filter((answer) => answer.status === status).length]),
  );

layer(TestWaypost.layer)("Rate limits", (it) => {
  it.effect(
    "lets exactly the limit through, however many ask at once, and tells when to come back (I1)",
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

  it.effect(
    "opens a window with its first request and lasts its whole minute; refused requests count no further (I1)",
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

  it.effect("counts for the workspace and environment, not for the token (I1)", () =>
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

  it.effect("counts changes against their own window too, of which reads hear nothing (I1, A5)", () =>
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

  it.effect("a day's limit outlasts the minute, and Retry-After tells the day's end (I1)", () =>
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
});
