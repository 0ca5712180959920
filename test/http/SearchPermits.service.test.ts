import { assert, layer, vi } from "@effect/vitest";
import { Effect } from "effect";
import { FairPermits } from "../../src/database/FairPermits.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost } from "../TestWaypost.ts";

layer(TestWaypost.shared)("Searches", (it) => {
  it.effect("a search for a part of a name needs a permit, a list does not (running.neighbours)", () =>
    Effect.gen(function* () {
      const { production, workspace } = yield* (yield* TestWaypost).tenant();
      const { workspaceId } = yield* (yield* Workspaces).find(workspace.id);
      const take = vi.spyOn(FairPermits.prototype, "take");
      yield* Effect.addFinalizer(() => Effect.sync(() => take.mockRestore()));
      const ofWorkspace = () => take.mock.calls.splice(0).filter(([owner]) => owner === workspaceId).length;
      for (const list of ["/locations", "/campaigns", "/media", "/devices"]) {
        assert.strictEqual((yield* production(list)).status, 200);
        assert.deepStrictEqual([list, ofWorkspace()], [list, 0]);
        const { body, status } = yield* production(`${list}?q=store`);
        assert.deepStrictEqual([status, body.data], [200, []]);
        assert.deepStrictEqual([list, ofWorkspace()], [list, 1]);
      }
    }),
  );
});
