import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { moveTo, sendWorld, withoutNames } from "../../sending/sends/SendWorld.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { commandLine } from "../CommandLine.ts";

layer(TestWaypost.layer)("waypost send list", (it) => {
  it.effect("waypost send list shows sends with their progress, by campaign and status (cli.sends)", () =>
    Effect.gen(function* () {
      const { json, run } = yield* commandLine;
      const { production, workspace } = yield* sendWorld();
      yield* production.phone();
      const campaign = yield* production.push();
      yield* production.sent(campaign, "12:30");
      yield* production.sent(yield* production.push(), "18:00");
      yield* moveTo("2026-11-21T12:30:00Z");
      const list = `send list -w ${workspace.id} -e production`;
      assert.deepStrictEqual((yield* json(list)).map(withoutNames), (yield* production.sends()).toReversed());
      const [done, ...others] = yield* json(`${list} --campaign ${campaign} --status done`);
      assert.deepInclude(done, { campaign_id: campaign, status: "done", targeted: 1, delivered: 1 });
      assert.lengthOf(others, 0);
      const { stdout } = yield* run(list);
      assert.match(stdout, /^ID +CAMPAIGN +NOTIFICATION +DUE +STATUS +TARGETED +DELIVERED +FAILED +PARTS$/m);
      const names = [done.campaign_name, done.notification_name];
      assert.match(stdout, new RegExp(`${done.id} +${names.join(" +")} +2026`));
      const narrow = yield* run(list, 40);
      assert.include(narrow.stdout, done.id);
      yield* production.remove(campaign);
      assert.match((yield* run(list)).stdout, new RegExp(`${done.id} +[(]deleted[)]`));
      assert.match(stdout, /2026-11-21 12:30 UTC +done +1 +1 +0/);
      assert.match(stdout, /2026-11-21 18:00 UTC +scheduled +0 +0 +0/);
      const none = yield* run(`${list} --status missed`);
      assert.deepStrictEqual([none.code, none.stdout], [0, "No send matches.\n"]);
      assert.strictEqual((yield* run(`${list} --status lost`)).code, 2);
      const withoutId = yield* run(`${list} --campaign x`);
      assert.deepStrictEqual(
        [withoutId.code, withoutId.stderr],
        [1, '--campaign must be the id of a campaign; it is "x".\n'],
      );
    }),
  );
});
