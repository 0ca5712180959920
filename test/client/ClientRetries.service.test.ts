import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { WaypostError } from "waypost/client";
import { eventually } from "../Eventually.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { type Fault, faultyProxy } from "./FaultyProxy.ts";
import { push, testClient } from "./TestClient.ts";

/** A client whose requests meet these faults on their way to a new workspace. */
const behind = (
  faults: ReadonlyArray<Fault>,
  settings: object = {},
  plan: Parameters<TestWaypost["Service"]["tenant"]>[0] = {},
) =>
  Effect.gen(function* () {
    const waypost = yield* TestWaypost;
    const tenant = yield* waypost.tenant(plan);
    const proxy = yield* faultyProxy(waypost.origin, faults);
    const made = yield* testClient({ url: proxy.url, token: tenant.tokens.sandbox, ...settings });
    return { ...made, ...tenant, proxy };
  });

const refusalOf = <A>(call: Effect.Effect<A, unknown>) =>
  Effect.map(Effect.flip(call), (error) => {
    assert.instanceOf(error, WaypostError);
    return error;
  });

layer(TestWaypost.layer)("retries of the client", (it) => {
  it.effect("a retried create creates once, however often the response is lost", () =>
    Effect.gen(function* () {
      const { client, proxy, sandbox, settle } = yield* behind(["lose", "cut", "refuse"]);
      const campaign = yield* settle(() => client.campaigns.create(push("Once")));
      assert.strictEqual(campaign.name, "Once");
      assert.strictEqual(proxy.seen.length, 4);
      assert.strictEqual(new Set(proxy.seen.map(({ key }) => key)).size, 1);
      assert.match(
        proxy.seen[0]?.key ?? "",
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      const { body } = yield* sandbox("/campaigns");
      assert.strictEqual(body.data.length, 1);
      assert.strictEqual(body.data[0].id, campaign.id);
    }),
  );

  it.effect("each change has an idempotency key, generated or the caller's; a read has none", () =>
    Effect.gen(function* () {
      const { client, proxy, settle } = yield* behind([]);
      const mine = { idempotencyKey: "order-42" };
      const first = yield* settle(() => client.campaigns.create(push("A"), mine));
      const again = yield* settle(() => client.campaigns.create(push("A"), mine));
      assert.deepStrictEqual(again, first);
      yield* settle(() => client.campaigns.pause(first.id));
      yield* settle(() => client.campaigns.publish(first.id));
      yield* settle(() => client.campaigns.get(first.id));
      const keys = proxy.seen.map(({ key }) => key);
      assert.deepStrictEqual(keys.slice(0, 2), ["order-42", "order-42"]);
      assert.isTrue(keys[2] !== undefined && keys[3] !== undefined && keys[2] !== keys[3]);
      assert.isUndefined(keys[4]);
    }),
  );

  it.effect("a POST that only reads is repeated without a key", () =>
    Effect.gen(function* () {
      const { client, proxy, settle } = yield* behind(["lose"]);
      const rule = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] } as const;
      const { devices } = yield* settle(() => client.segments.count({ rule }));
      assert.strictEqual(devices, 0);
      assert.deepStrictEqual(
        proxy.seen.map(({ key }) => key),
        [undefined, undefined],
      );
    }),
  );

  it.effect("a retry waits as long as Retry-After says, in seconds or as a date of the server's clock", () =>
    Effect.gen(function* () {
      const { client, retries, settle } = yield* behind([
        { status: 429, headers: { "retry-after": "7" } },
        {
          status: 503,
          headers: { date: "Sun, 22 Nov 2026 10:00:00 GMT", "retry-after": "Sun, 22 Nov 2026 10:00:20 GMT" },
        },
        { status: 503, headers: { "retry-after": "soon" } },
      ]);
      yield* settle(() => client.me());
      // Half of the first pause is added. Without a valid Retry-After it is half of the third ceiling.
      assert.deepStrictEqual(
        retries.map(({ attempt, status, waitMs }) => [attempt, status, waitMs]),
        [
          [1, 429, 7125],
          [2, 503, 20_125],
          [3, 503, 500],
        ],
      );
    }),
  );

  it.effect("retries wait until the server's rate limit allows the call", () =>
    Effect.gen(function* () {
      const { client, retries, sandbox, settle } = yield* behind(
        [],
        {},
        { plan: { sandbox_writes_per_minute: 2 } },
      );
      for (const name of ["One", "Two", "Three"]) yield* settle(() => client.campaigns.create(push(name)));
      assert.strictEqual(retries.length, 1);
      assert.strictEqual(retries[0]?.status, 429);
      assert.isAbove(retries[0]?.waitMs ?? 0, 1000);
      assert.strictEqual((yield* sandbox("/campaigns")).body.data.length, 3);
    }),
  );

  it.effect(
    "temporary errors are retried with pauses that double up to a maximum, until the last attempt",
    () =>
      Effect.gen(function* () {
        const page = {
          status: 502,
          headers: { "content-type": "text/html" },
          body: "<h1>Upstream failed</h1>",
        };
        const { client, proxy, retries, settle } = yield* behind(
          ["refuse", { status: 500 }, { status: 504 }, page, page, page],
          { retry: { attempts: 6, maxPauseMs: 1500 } },
        );
        const error = yield* refusalOf(settle(() => client.me()));
        assert.deepStrictEqual(
          retries.map(({ status, waitMs }) => [status, waitMs]),
          [
            [null, 125],
            [500, 250],
            [504, 500],
            [502, 750],
            [502, 750],
          ],
        );
        assert.strictEqual(proxy.seen.length, 6);
        assert.strictEqual(error.status, 502);
        assert.strictEqual(error.code, "unexpected_response");
        assert.include(error.message, "Upstream failed");
        assert.notInclude(error.message, "<h1>");
      }),
  );

  it.effect("no attempt starts after the total time", () =>
    Effect.gen(function* () {
      const busy = { status: 429, headers: { "retry-after": "40", "x-request-id": "r-1" }, body: "" };
      const { client, proxy, retries, settle } = yield* behind([busy, busy, busy, busy]);
      const error = yield* refusalOf(settle(() => client.me()));
      assert.strictEqual(retries.length, 2);
      assert.strictEqual(proxy.seen.length, 3);
      assert.strictEqual(error.status, 429);
      assert.strictEqual(error.retryAfter, 40);
      assert.strictEqual(error.requestId, "r-1");
    }),
  );

  it.effect("a 409 is retried only while the first request is still running", () =>
    Effect.gen(function* () {
      const conflict = (code: string): Fault => ({
        status: 409,
        headers: { "retry-after": "2" },
        body: JSON.stringify({ error: { code, message: "Wait." } }),
      });
      const { client, proxy, settle } = yield* behind([
        conflict("request_in_progress"),
        "pass",
        conflict("media_in_use"),
      ]);
      const campaign = yield* settle(() => client.campaigns.create(push("Same")));
      const error = yield* refusalOf(settle(() => client.campaigns.delete(campaign.id)));
      assert.strictEqual(error.code, "media_in_use");
      assert.strictEqual(proxy.seen.length, 3);
    }),
  );

  for (const status of [400, 401, 403, 404, 405, 408, 413, 415, 422]) {
    it.effect(`a response with ${status} is never retried`, () =>
      Effect.gen(function* () {
        const { client, proxy, settle } = yield* behind([{ status }]);
        assert.strictEqual((yield* refusalOf(settle(() => client.me()))).status, status);
        assert.strictEqual(proxy.seen.length, 1);
      }),
    );
  }

  it.effect("an attempt that exceeds its timeout is retried", () =>
    Effect.gen(function* () {
      const { client, proxy, retries } = yield* behind(["hang", "hang"], { retry: { attempts: 2 } });
      let arrived = proxy.arrival();
      const call = client.me({ timeoutMs: 3000 }).then(
        () => null,
        (error: unknown) => error,
      );
      yield* Effect.promise(() => arrived);
      arrived = proxy.arrival();
      yield* TestClock.adjust(3000);
      // The request is aborted, and the pause begins.
      yield* eventually(Effect.sync(() => retries.length === 1));
      yield* TestClock.adjust(125);
      yield* Effect.promise(() => arrived);
      yield* TestClock.adjust(3000);
      const error = yield* Effect.promise(() => call);
      assert.instanceOf(error, WaypostError);
      assert.strictEqual(error.code, "timeout");
      assert.include(error.message, "within 3 seconds");
      assert.strictEqual(retries.length, 1);
    }),
  );

  it.effect(
    "an aborted call rejects with the signal's reason: before it starts, in flight and between attempts",
    () =>
      Effect.gen(function* () {
        const { client, proxy, retries } = yield* behind([
          "hang",
          { status: 503, headers: { "retry-after": "30" } },
        ]);
        const reason = new Error("The user went away.");
        const rejection = (call: Promise<unknown>) =>
          Effect.promise(() =>
            call.then(
              () => null,
              (error: unknown) => error,
            ),
          );
        assert.strictEqual(yield* rejection(client.me({ signal: AbortSignal.abort(reason) })), reason);
        assert.strictEqual(proxy.seen.length, 0);

        const inFlight = new AbortController();
        const arrived = proxy.arrival();
        const first = rejection(client.me({ signal: inFlight.signal }));
        yield* Effect.promise(() => arrived);
        inFlight.abort(reason);
        assert.strictEqual(yield* first, reason);

        const pausing = new AbortController();
        const second = client.me({ signal: pausing.signal }).catch((error: unknown) => error);
        while (retries.length === 0) yield* Effect.promise(() => new Promise((go) => setImmediate(go)));
        pausing.abort(reason);
        assert.strictEqual(yield* Effect.promise(() => second), reason);
        assert.strictEqual(proxy.seen.length, 2);
      }),
  );
});
