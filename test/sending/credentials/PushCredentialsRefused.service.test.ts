import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost, testStart } from "../../TestWaypost.ts";
import { localServices } from "../push/LocalProviders.ts";
import { pushed, pushWorld } from "../push/PushWorld.ts";

layer(TestWaypost.layer)("Refused credentials", (it) => {
  for (const name of ["fcm", "apns"] as const) {
    it.effect(
      `an authentication error of ${name} renews the token once and marks no address as gone (L6)`,
      () =>
        Effect.gen(function* () {
          const service = yield* localServices[name];
          const { delivery, device, fired } = yield* pushWorld(service);
          service.answer((number) => (number === 0 ? "unauthorized" : "accept"));
          const first = yield* fired();
          yield* pushed;
          assert.deepInclude(yield* delivery(first.message.id), { status: "delivered", attempts: 1 });
          assert.lengthOf(service.tokens, 2);
          assert.lengthOf(service.ledger, 2);

          // A token that was accepted before is replaced; a replacement that is refused is not.
          service.answer(() => "unauthorized");
          const second = yield* fired();
          yield* pushed;
          const failed = yield* delivery(second.message.id);
          assert.deepInclude(failed, { status: "failed", attempts: 1 });
          assert.match(failed.last_error, /status 40[13]/);
          assert.deepInclude(yield* device(second.id), { address_gone: false });
          assert.lengthOf(service.tokens, 3);
          assert.lengthOf(service.ledger, 4);
        }),
    );

    it.effect(`after an authentication error of ${name} pushes pause, then one push tries again`, () =>
      Effect.gen(function* () {
        const service = yield* localServices[name];
        const { configure, delivery, fired } = yield* pushWorld(service);
        service.answer(() => "unauthorized");
        yield* fired();
        yield* pushed;
        const waiting = [yield* fired(), yield* fired(), yield* fired()];
        yield* pushed;
        const states = Effect.forEach(waiting, ({ message }) => delivery(message.id)).pipe(
          Effect.map((found) => found.map(({ status }) => status)),
        );
        assert.deepStrictEqual(yield* states, ["queued", "queued", "queued"]);
        yield* TestClock.setTime(testStart + 1_000);
        yield* pushed;
        assert.deepStrictEqual(yield* states, ["failed", "queued", "queued"]);
        // With new credentials all are delivered at the next attempt.
        yield* configure();
        service.answer(() => "accept");
        yield* TestClock.setTime(testStart + 3_000);
        yield* pushed;
        assert.deepStrictEqual(yield* states, ["failed", "delivered", "delivered"]);
      }),
    );
  }

  it.effect("a platform that FCM has no key for holds up no other one, and renews the token once (L6)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const { delivery, fired } = yield* pushWorld(service);
      service.answer((_, { to }) =>
        to.startsWith("iphone") ? { status: 401, errorCode: "THIRD_PARTY_AUTH_ERROR" } : "accept",
      );
      const states: Array<string> = [];
      for (const name of ["iphone 1", "android 1", "iphone 2", "android 2", "iphone 3"]) {
        const { message } = yield* fired(name.replace(" ", "-"));
        yield* pushed;
        states.push((yield* delivery(message.id)).status);
      }
      assert.deepStrictEqual(states, ["failed", "delivered", "failed", "delivered", "failed"]);
      assert.lengthOf(service.tokens, 2);
    }),
  );

  it.effect(
    "a push fails if FCM's token address refuses, and is retried if it is unavailable (L6.5, L7)",
    () =>
      Effect.gen(function* () {
        const service = yield* localServices.fcm;
        const { delivery, fired } = yield* pushWorld(service);
        service.refuseTokens(503);
        const { message } = yield* fired();
        yield* pushed;
        assert.deepInclude(yield* delivery(message.id), { status: "queued", attempts: 1 });
        service.refuseTokens(null);
        yield* TestClock.setTime(testStart + 1_000);
        yield* pushed;
        assert.deepInclude(yield* delivery(message.id), { status: "delivered", attempts: 2 });

        const other = yield* localServices.fcm;
        const refused = yield* pushWorld(other);
        other.refuseTokens(400);
        const bad = yield* refused.fired();
        yield* pushed;
        const failed = yield* refused.delivery(bad.message.id);
        assert.deepInclude(failed, { status: "failed", attempts: 1 });
        assert.include(failed.last_error, "invalid_grant");
        assert.lengthOf(other.ledger, 0);
      }),
  );
});
