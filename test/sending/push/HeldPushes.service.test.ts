import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { HeldDeliveries } from "../../../src/sending/sends/holding/HeldDeliveries.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { moveTo } from "../sends/SendWorld.ts";
import { localServices } from "./LocalProviders.ts";
import { pushCrowd } from "./PushCrowd.ts";
import { pushed } from "./PushWorld.ts";

layer(TestWaypost.layer)("Held pushes", (it) => {
  it.effect(
    "a push that was held goes out although its send is done, and is counted for it (P2.3, P2.8)",
    () =>
      Effect.gen(function* () {
        const service = yield* localServices.fcm;
        const { sends, waypost, workspace } = yield* pushCrowd(service, 20);
        yield* waypost.operator(`/workspaces/${workspace.id}`, {
          method: "PATCH",
          body: { quiet_hours: { from: "12:00", to: "14:00", action: "hold" } },
        });
        const figures = Effect.map(sends(), ([{ delivered, failed, held, status, targeted }]: any) => [
          status,
          targeted,
          delivered,
          failed,
          held,
        ]);
        yield* moveTo("2026-11-21T12:30:00Z");
        yield* pushed;
        assert.deepStrictEqual(yield* figures, ["done", 20, 0, 0, 20]);
        assert.lengthOf(service.ledger, 0);
        service.answer((_, { to }) => (to.endsWith("7") ? "gone" : "accept"));
        yield* TestClock.setTime(Date.parse("2026-11-21T14:00:00Z"));
        const { releaseDue } = yield* HeldDeliveries;
        // The worker of this process may be releasing them at the same time.
        for (let round = 0; round < 100 && (yield* figures)[4] !== 0; round++) {
          yield* releaseDue;
          yield* pushed;
        }
        assert.lengthOf(service.ledger, 20);
        const [status, targeted, delivered, failed] = yield* figures;
        assert.deepStrictEqual([status, targeted, delivered + failed], ["done", 20, 20]);
        assert.isAbove(failed, 0);
      }),
  );
});
