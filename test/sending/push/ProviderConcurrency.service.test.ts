import { assert, describe, it as plainIt, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { ProviderConcurrency } from "../../../src/sending/push/ProviderConcurrency.ts";
import { accepted, type PushOutcome } from "../../../src/sending/push/transports/PushTransport.ts";
import { TestWaypost, testStart } from "../../TestWaypost.ts";
import { localServices } from "./LocalProviders.ts";
import type { LocalService } from "./PushServers.ts";
import { pushed, pushing, pushWorld } from "./PushWorld.ts";
import { eventually } from "../../Eventually.ts";

/** An environment whose browsers use two push services. */
const twoServices = Effect.gen(function* () {
  const [slow, quick] = [yield* localServices.webpush, yield* localServices.webpush];
  const world = yield* pushWorld(slow);
  const fired = (service: LocalService) =>
    Effect.gen(function* () {
      const push = yield* Effect.promise(() => service.address(randomUUID()));
      const phone = yield* world.production.phone(randomUUID(), { push });
      const { deliveries } = yield* phone.sees("enter", world.location);
      return deliveries[0].id as string;
    });
  return { ...world, slow, quick, fired };
});

layer(TestWaypost.layer)("Push services of one channel", (it) => {
  it.effect(
    "a slow push service gets a limited share of in-flight pushes and does not delay the others",
    () =>
      Effect.gen(function* () {
        const { delivery, fired, quick, slow } = yield* twoServices;
        slow.answer(() => "hang");
        const waiting: Array<string> = [];
        for (let count = 0; count < 20; count++) waiting.push(yield* fired(slow));
        const first = yield* fired(quick);
        yield* pushing;
        yield* slow.arrived(16);
        yield* quick.arrived(1);
        yield* eventually(Effect.map(delivery(first), ({ status }) => status === "delivered"));
        assert.lengthOf(slow.ledger, 16);
        const states = yield* Effect.forEach(waiting, delivery);
        assert.deepStrictEqual(states.map(({ attempts, status }) => `${status} ${attempts}`).toSorted(), [
          ...Array<string>(16).fill("handed_over 1"),
          ...Array<string>(4).fill("queued 0"),
        ]);
        // Postponed pushes have lost no attempt.
        slow.answer(() => "accept");
        for (const time of ["10 seconds", "2 seconds", "1 minute", "1 minute"] as const) {
          yield* TestClock.adjust(time);
          yield* pushed;
        }
        for (const id of waiting) assert.deepInclude(yield* delivery(id), { status: "delivered" });
        assert.deepStrictEqual(
          (yield* Effect.forEach(waiting, delivery)).map(({ attempts }) => String(attempts)).toSorted(),
          [...Array<string>(4).fill("1"), ...Array<string>(16).fill("2")],
        );
      }),
  );

  it.effect("all pushes back off from the push service that asks for it, and from no other (L7)", () =>
    Effect.gen(function* () {
      const { delivery, fired, quick, slow } = yield* twoServices;
      slow.answer((number) => (number === 0 ? { status: 429, retryAfter: "30" } : "accept"));
      const refused = yield* fired(slow);
      yield* pushed;
      const [later, other] = [yield* fired(slow), yield* fired(quick)];
      yield* pushed;
      assert.deepInclude(yield* delivery(other), { status: "delivered" });
      assert.deepInclude(yield* delivery(later), { status: "queued", attempts: 0 });
      yield* TestClock.setTime(testStart + 29_999);
      yield* pushed;
      assert.lengthOf(slow.ledger, 1);
      yield* TestClock.setTime(testStart + 31_000);
      yield* pushed;
      assert.deepInclude(yield* delivery(refused), { status: "delivered", attempts: 2 });
      assert.deepInclude(yield* delivery(later), { status: "delivered", attempts: 1 });
    }),
  );
});

for (const [name, started] of Object.entries(localServices)) {
  layer(TestWaypost.layer)(`Back-off by ${name}`, (it) => {
    it.effect(`all pushes back off from ${name} while it asks for it, and lose no attempt (L7)`, () =>
      Effect.gen(function* () {
        const service = yield* started;
        const { delivery, fired } = yield* pushWorld(service);
        service.answer((number) => (number === 0 ? { status: 503, retryAfter: "30" } : "accept"));
        const refused = yield* fired();
        yield* pushed;
        const later = yield* fired();
        yield* TestClock.setTime(testStart + 29_999);
        yield* pushed;
        assert.lengthOf(service.ledger, 1);
        assert.deepInclude(yield* delivery(later.message.id), { status: "queued", attempts: 0 });
        yield* TestClock.setTime(testStart + 31_000);
        yield* pushed;
        assert.deepInclude(yield* delivery(refused.message.id), { status: "delivered", attempts: 2 });
        assert.deepInclude(yield* delivery(later.message.id), { status: "delivered", attempts: 1 });
      }),
    );
  });
}

describe("ProviderConcurrency", () => {
  const missing = { _tag: "Unavailable", reason: "No answer.", retryAfter: null } as const;
  const gone = { _tag: "Gone", reason: "The address is gone." } as const;

  plainIt("the limit of a push service grows with responses and shrinks without, within bounds", () => {
    const services = new ProviderConcurrency(true);
    const limit = () => {
      const dueAt = services.limiter(testStart);
      let count = 0;
      while (count < 1_000 && dueAt("a") === null) count += 1;
      return count;
    };
    const ended = (outcome: PushOutcome | null, count: number) => {
      for (let index = 0; index < count; index++) {
        services.started("a");
        services.ended("a", outcome, 20, testStart - 10_000);
      }
    };
    assert.strictEqual(limit(), 16);
    ended(gone, 1_000);
    assert.strictEqual(limit(), 128);
    ended({ ...missing, retryAfter: 1_000 }, 1);
    assert.strictEqual(limit(), 64);
    ended(null, 100);
    assert.strictEqual(limit(), 64);
    ended(missing, 10);
    assert.strictEqual(limit(), 16);
  });

  plainIt("pushes over the limit are postponed one after another, by a minute at most", () => {
    const services = new ProviderConcurrency(true);
    services.backOff("a", testStart, 86_400_000);
    const dueAt = services.limiter(testStart);
    const times = Array.from({ length: 20_000 }, () => dueAt("a") ?? 0);
    assert.strictEqual(times[0], testStart + 60_000);
    assert.isTrue(times.every((time) => time <= testStart + 60_000));
    assert.isNull(dueAt("b"));
    for (let count = 0; count < 30; count++) {
      services.started("a");
      services.ended("a", missing, 10_000, testStart);
    }
    const crowd = services.limiter(testStart + 60_000);
    const later = Array.from({ length: 1_000 }, () => crowd("a")).filter((time) => time !== null);
    assert.lengthOf(later, 984);
    assert.isTrue(later.every((time, at) => at === 0 || time >= (later[at - 1] ?? 0)));
    assert.isAbove(new Set(later).size, 500);
  });

  plainIt("a fast push service gets as many pushes as it can take", () => {
    const services = new ProviderConcurrency(true);
    for (let count = 0; count < 200; count++) {
      services.started("a");
      services.ended("a", accepted, 20, testStart);
    }
    const dueAt = services.limiter(testStart);
    const times = Array.from({ length: 10_128 }, () => dueAt("a"));
    assert.isAtMost(times.at(-1) ?? Infinity, testStart + 2_000);
  });

  plainIt("a channel with a single push service has no limit", () => {
    const dueAt = new ProviderConcurrency(false).limiter(testStart);
    assert.isTrue(Array.from({ length: 5_000 }, () => dueAt("")).every((time) => time === null));
  });
});
