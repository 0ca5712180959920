import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestWaypost } from "../../TestWaypost.ts";
import { localApnsWith, localServices } from "./LocalProviders.ts";
import { pushCrowd } from "./PushCrowd.ts";
import { pushed, pushing } from "./PushWorld.ts";
import { moveTo } from "../sends/SendWorld.ts";

layer(TestWaypost.layer)("Sends by push", (it) => {
  it.effect(
    "a send by push reaches each device once, and is done when all outcomes are counted (K1, L5)",
    () =>
      Effect.gen(function* () {
        const service = yield* localServices.fcm;
        const { figures } = yield* pushCrowd(service, 700);
        const release = service.hold("accept");
        service.answer((_, { to }) => (to.endsWith("7") ? "gone" : "accept"));
        yield* moveTo("2026-11-21T12:30:00Z");
        assert.deepStrictEqual(yield* figures, ["running", 700, 0, 0]);
        yield* pushing;
        yield* service.arrived(50);
        release();
        yield* pushed;
        assert.strictEqual(new Set(service.ledger.map(({ to }) => to)).size, 700);
        assert.lengthOf(service.ledger, 700);
        const [status, targeted, delivered, failed] = yield* figures;
        assert.deepStrictEqual([status, targeted, delivered + failed], ["done", 700, 700]);
        assert.isAtMost(failed, 70);
        assert.isAbove(failed, 0);
      }),
  );

  it.effect("a paused send drops its queued pushes and counts those already sent (L3)", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const { ask, campaign, deliveries, figures } = yield* pushCrowd(service, 700);
      const release = service.hold("accept");
      yield* moveTo("2026-11-21T12:30:00Z");
      yield* pushing;
      yield* service.arrived(100);
      assert.strictEqual((yield* ask(campaign, "pause")).status, 200);
      release();
      yield* pushed;
      const sent = service.ledger.length;
      assert.isBelow(sent, 700);
      assert.deepStrictEqual(yield* figures, ["skipped", sent, sent, 0]);
      assert.lengthOf(yield* deliveries, sent);
    }),
  );

  it.effect(
    "a push that waits counts for the cap of the next send, which is not finished yet (L4, X30)",
    () =>
      Effect.gen(function* () {
        const service = yield* localServices.fcm;
        const cap = { frequency_cap_count: 1, frequency_cap_period: "day" };
        const { campaign, deliveries, sent } = yield* pushCrowd(service, 3, cap);
        yield* sent(campaign, "12:31");
        const release = service.hold("accept");
        yield* moveTo("2026-11-21T12:30:00Z");
        yield* moveTo("2026-11-21T12:31:00Z");
        assert.deepStrictEqual(
          (yield* deliveries).map(({ count }) => count),
          [1, 1, 1],
        );
        release();
        yield* pushed;
      }),
  );

  it.effect("a send over few HTTP/2 streams waits for room, and GOAWAY costs no attempt", () =>
    Effect.gen(function* () {
      const service = yield* localApnsWith({ maxConcurrentStreams: 7 });
      const leaveAt = new Set([40, 200]);
      service.answer((number) => (leaveAt.delete(number) ? "goaway" : "accept"));
      const { figures, workspaceId } = yield* pushCrowd(service, 400);
      yield* moveTo("2026-11-21T12:30:00Z");
      yield* pushed;
      assert.deepStrictEqual(yield* figures, ["done", 400, 400, 0]);
      assert.strictEqual(new Set(service.ledger.map(({ to }) => to)).size, 400);
      assert.deepStrictEqual(service.complaints, []);
      assert.isAbove(service.sessions(), 1);
      const sql = yield* SqlClient.SqlClient;
      const [{ attempts }] = (yield* Effect.orDie(sql`
        SELECT max(attempts)::int AS attempts FROM delivery WHERE workspace_id = ${workspaceId}`)) as any;
      assert.strictEqual(attempts, 1);
    }),
  );
});
