import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { isSigned } from "./TestReceiver.ts";
import { called, webhookWorld } from "./WebhookWorld.ts";

const second = 1_000;
const hour = 60 * 60 * second;
const day = 24 * hour;

layer(TestWaypost.layer)("Replaced secrets of webhooks", (it) => {
  it.effect("the secret is replaced, and the old one signs too for 24 hours (N1.3)", () =>
    Effect.gen(function* () {
      const { geo, make, platform, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id, secret } = yield* make({ events: ["location.entered"] });
      const replaced = yield* platform(`/webhooks/${id}/secret`, { method: "POST" });
      assert.strictEqual(replaced.status, 200);
      const next: string = replaced.body.data.secret;
      assert.match(next, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.notStrictEqual(next, secret);
      const signedBy = Effect.gen(function* () {
        const before = receiver.calls.length;
        yield* phone.sees("enter", location);
        yield* called;
        const call = receiver.calls[before];
        const now = Number(call?.headers["webhook-timestamp"]) * 1000;
        return [secret, next].map((each) => call !== undefined && isSigned(each, call, now));
      });
      assert.deepStrictEqual(yield* signedBy, [true, true]);
      yield* TestClock.adjust(day - second);
      assert.deepStrictEqual(yield* signedBy, [true, true]);
      yield* TestClock.adjust(second);
      assert.deepStrictEqual(yield* signedBy, [false, true]);
    }),
  );

  it.effect("of a secret that is replaced twice in a day, both old ones sign for their 24 hours (N1.3)", () =>
    Effect.gen(function* () {
      const { geo, make, platform, receiver } = yield* webhookWorld;
      const { location, phone } = yield* geo();
      const { id, secret } = yield* make({ events: ["location.entered"] });
      const replaced = Effect.map(
        platform(`/webhooks/${id}/secret`, { method: "POST" }),
        ({ body }) => body.data.secret as string,
      );
      const middle = yield* replaced;
      yield* TestClock.adjust(hour);
      const secrets = [secret, middle, yield* replaced];
      const signedBy = Effect.gen(function* () {
        const before = receiver.calls.length;
        yield* phone.sees("enter", location);
        yield* called;
        const call = receiver.calls[before];
        const now = Number(call?.headers["webhook-timestamp"]) * 1000;
        return secrets.map((each) => call !== undefined && isSigned(each, call, now));
      });
      assert.deepStrictEqual(yield* signedBy, [true, true, true]);
      yield* TestClock.adjust(23 * hour);
      assert.deepStrictEqual(yield* signedBy, [false, true, true]);
      yield* TestClock.adjust(hour);
      assert.deepStrictEqual(yield* signedBy, [false, false, true]);
    }),
  );
});
