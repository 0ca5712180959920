import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { Pacing } from "../../../src/sending/pacing/Pacing.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { localServices } from "../push/LocalProviders.ts";
import { pushCrowd } from "../push/PushCrowd.ts";
import { pushed, pushing } from "../push/PushWorld.ts";
import { moveTo } from "../sends/SendWorld.ts";
import { dueAt, giveAndSend } from "./PaceWorld.ts";

/** A send to three devices of a provider, of which one may get its push in a minute. */
const onePerMinute = Effect.gen(function* () {
  const service = yield* localServices.fcm;
  const world = yield* pushCrowd(service, 3);
  yield* world.waypost.operator(`/workspaces/${world.workspace.id}`, {
    method: "PATCH",
    body: { max_per_minute: 1 },
  });
  /** The pushes that have arrived by a second after the minute. */
  const arrivedBy = (second: number) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(dueAt + second * 1_000);
      yield* giveAndSend;
      return service.ledger.length;
    });
  return { ...world, service, arrivedBy };
});

layer(TestWaypost.layer)("Pushes with a pace", (it) => {
  it.effect("a permit is free a minute after the answer, not after the request (Y14)", () =>
    Effect.gen(function* () {
      const { arrivedBy, service } = yield* onePerMinute;
      const release = service.hold("accept");
      yield* moveTo("2026-11-21T12:30:00Z");
      yield* (yield* Pacing).releaseDue;
      yield* pushing;
      yield* service.arrived(1);
      yield* TestClock.setTime(dueAt + 8_000);
      release();
      yield* pushed;
      assert.strictEqual(yield* arrivedBy(8), 1);
      assert.strictEqual(yield* arrivedBy(67), 1);
      assert.strictEqual(yield* arrivedBy(69), 2);
    }),
  );

  it.effect("a retry needs no permit, and the first attempt keeps its own for a minute (Y13)", () =>
    Effect.gen(function* () {
      const { arrivedBy, service } = yield* onePerMinute;
      service.answer((number) => (number === 0 ? { status: 503 } : "accept"));
      yield* moveTo("2026-11-21T12:30:00Z");
      assert.strictEqual(yield* arrivedBy(0), 1);
      assert.strictEqual(yield* arrivedBy(5), 2);
      assert.strictEqual(new Set(service.ledger.map(({ to }) => to)).size, 1);
      assert.strictEqual(yield* arrivedBy(59), 2);
      assert.strictEqual(yield* arrivedBy(62), 3);
    }),
  );

  it.effect("a send that is running when it gets a limit waits from then on (T5.6)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const { figures, waypost, workspace } = yield* pushCrowd(service, 900);
      const setLimit = (max_per_minute: number | null) =>
        waypost.operator(`/workspaces/${workspace.id}`, { method: "PATCH", body: { max_per_minute } });
      const release = service.hold("accept");
      yield* moveTo("2026-11-21T12:30:00Z");
      yield* pushing;
      yield* service.arrived(100);
      yield* setLimit(10);
      yield* (yield* Pacing).releaseDue;
      release();
      yield* pushed;
      const sent = service.ledger.length;
      assert.isBelow(sent, 900);
      assert.deepStrictEqual(yield* figures, ["running", 900, sent, 0]);
      yield* giveAndSend;
      assert.lengthOf(service.ledger, sent);
      yield* setLimit(null);
      yield* giveAndSend;
      assert.deepStrictEqual(yield* figures, ["done", 900, 900, 0]);
    }),
  );
});
