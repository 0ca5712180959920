import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { called } from "../webhooks/WebhookWorld.ts";
import { namesOf, personWorld } from "./PersonWorld.ts";

layer(TestWaypost.layer)("Erasure of what webhooks have not sent", (it) => {
  it.effect("webhooks get nothing of the person that was not sent before (Q3.4)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      const { make, other, phone, receiver, tablet } = world;
      receiver.answer(() => 500);
      yield* make({ batch: true });
      yield* make();
      for (const device of [phone, other, tablet]) yield* device.sees("enter", world.location);
      yield* called;
      for (const device of [phone, other, tablet]) yield* device.sees("exit", world.location);
      yield* world.erase;
      receiver.calls.length = 0;
      receiver.answer(() => 204);
      yield* TestClock.adjust("1 minute");
      yield* called;
      const text = receiver.calls.map((call) => call.text).join("\n");
      assert.include(text, other.id);
      for (const name of namesOf([phone, tablet])) assert.notInclude(text, name);
    }),
  );
});
