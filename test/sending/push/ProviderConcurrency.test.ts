import { assert, describe, it as plainIt, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { ProviderConcurrency } from "../../../src/sending/push/ProviderConcurrency.ts";
import { TestWaypost, testStart } from "../../TestWaypost.ts";
import { localServices } from "./LocalProviders.ts";
import type { LocalService } from "./PushServers.ts";
import { eventually, pushed, pushing, pushWorld } from "./PushWorld.ts";

/** One environment whose browsers are with two push services. */
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

layer(TestWaypost.layer)("A push service among others", (it) => {
  it.effect("that is slow has no more than its share of what is under way, and the others are quick", () =>
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
      // Those that were put off have lost none of their tries.
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

  it.effect("that asks to be left alone is left alone by all pushes, and the others are not (L7)", () =>
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
  layer(TestWaypost.layer)(`The push service of ${name}`, (it) => {
    it.effect("is left alone by all pushes while it asks for it, and none loses a try (L7)", () =>
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

describe("The share of a push service", () => {
  plainIt("grows as it answers and shrinks as it does not, within bounds", () => {
    const services = new ProviderConcurrency(true);
    const share = () => {
      const authenticate = services.admission(testStart);
      let count = 0;
      while (count < 1_000 && authenticate("a") === null) count += 1;
      return count;
    };
    const answered = (isAnswered: boolean) => {
      services.begun("a");
      services.over("a", 20, isAnswered);
    };
    assert.strictEqual(share(), 16);
    for (let count = 0; count < 1_000; count++) answered(true);
    assert.strictEqual(share(), 128);
    answered(false);
    assert.strictEqual(share(), 64);
    for (let count = 0; count < 10; count++) answered(false);
    assert.strictEqual(share(), 16);
  });

  plainIt("puts off what is beyond it one after another, for a minute at most, whatever it asks for", () => {
    const services = new ProviderConcurrency(true);
    services.leaveAlone("a", testStart, 86_400_000);
    const authenticate = services.admission(testStart);
    const times = Array.from({ length: 20_000 }, () => authenticate("a") ?? 0);
    assert.strictEqual(times[0], testStart + 60_000);
    assert.isTrue(times.every((time) => time <= testStart + 60_000));
    assert.isNull(authenticate("b"));
    for (let count = 0; count < 30; count++) {
      services.begun("a");
      services.over("a", 10_000, false);
    }
    const crowd = services.admission(testStart + 60_000);
    const later = Array.from({ length: 1_000 }, () => crowd("a")).filter((time) => time !== null);
    assert.lengthOf(later, 984);
    assert.isTrue(later.every((time, at) => at === 0 || time >= (later[at - 1] ?? 0)));
    assert.isAbove(new Set(later).size, 500);
  });

  plainIt("lets one that answers quickly have all it can take", () => {
    const services = new ProviderConcurrency(true);
    for (let count = 0; count < 200; count++) {
      services.begun("a");
      services.over("a", 20, true);
    }
    const authenticate = services.admission(testStart);
    const times = Array.from({ length: 10_128 }, () => authenticate("a"));
    assert.isAtMost(times.at(-1) ?? Infinity, testStart + 2_000);
  });

  plainIt("is everything where a channel has one service only", () => {
    const authenticate = new ProviderConcurrency(false).admission(testStart);
    assert.isTrue(Array.from({ length: 5_000 }, () => authenticate("")).every((time) => time === null));
  });
});
