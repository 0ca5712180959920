import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { isSigned } from "./TestReceiver.ts";
import { called, webhookWorld } from "./WebhookWorld.ts";

const second = 1_000;
const hour = 60 * 60 * second;
const day = 24 * hour;

/** A webhook with its secret, and the ways to replace it and to see which secrets sign its next call. */
const signedWebhook = Effect.gen(function* () {
  const { geo, make, platform, receiver } = yield* webhookWorld;
  const { location, phone } = yield* geo();
  const { id, secret } = yield* make({ events: ["location.entered"] });
  const signers = Effect.fnUntraced(function* (secrets: ReadonlyArray<string>) {
    const before = receiver.calls.length;
    yield* phone.sees("enter", location);
    yield* called;
    const call = receiver.calls[before];
    const now = Number(call?.headers["webhook-timestamp"]) * 1000;
    return secrets.map((each) => call !== undefined && isSigned(each, call, now));
  });
  const replaced = platform(`/webhooks/${id}/secret`, { method: "POST" });
  return { replaced, secret, signers };
});

layer(TestWaypost.layer)("Replaced secrets of webhooks", (it) => {
  it.effect("the secret is replaced, and the old one signs too for 24 hours (N1.3)", () =>
    Effect.gen(function* () {
      const { replaced, secret, signers } = yield* signedWebhook;
      const { body, status } = yield* replaced;
      assert.strictEqual(status, 200);
      const next: string = body.data.secret;
      assert.match(next, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.notStrictEqual(next, secret);
      const signedBy = signers([secret, next]);
      assert.deepStrictEqual(yield* signedBy, [true, true]);
      yield* TestClock.adjust(day - second);
      assert.deepStrictEqual(yield* signedBy, [true, true]);
      yield* TestClock.adjust(second);
      assert.deepStrictEqual(yield* signedBy, [false, true]);
    }),
  );

  it.effect("of a secret that is replaced twice in a day, both old ones sign for their 24 hours (N1.3)", () =>
    Effect.gen(function* () {
      const { replaced, secret, signers } = yield* signedWebhook;
      const middle: string = (yield* replaced).body.data.secret;
      yield* TestClock.adjust(hour);
      const signedBy = signers([secret, middle, (yield* replaced).body.data.secret]);
      assert.deepStrictEqual(yield* signedBy, [true, true, true]);
      yield* TestClock.adjust(23 * hour);
      assert.deepStrictEqual(yield* signedBy, [false, true, true]);
      yield* TestClock.adjust(hour);
      assert.deepStrictEqual(yield* signedBy, [false, false, true]);
    }),
  );
});
