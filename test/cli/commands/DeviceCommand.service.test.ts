import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { sendWorld } from "../../sending/sends/SendWorld.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { commandLine } from "../CommandLine.ts";

layer(TestWaypost.shared)("waypost device", (it) => {
  it.effect("waypost device explain says why campaigns do not reach a device (cli.explain, S6.3)", () =>
    Effect.gen(function* () {
      const { json, run } = yield* commandLine;
      const { sandbox, workspace } = yield* sendWorld();
      const installation = randomUUID();
      const device = yield* sandbox.device(installation);
      const at = `-w ${workspace.id} -e sandbox`;
      assert.strictEqual(
        (yield* run(`device explain ${at} ${device.id}`)).stdout,
        "No campaign is active.\n",
      );
      const running = yield* sandbox.push();
      yield* sandbox.sent(running, "15:00");
      const paused = yield* sandbox.push();
      yield* sandbox.ask(paused, "pause");
      const table = yield* run(`device explain ${at} ${installation}`);
      assert.match(table.stdout, /CAMPAIGN +NAME +REACHES +REASON +UNTIL/);
      assert.include(table.stdout, "not_approved");
      yield* json(`device approve ${at} ${installation}`);
      const [reached, ...others] = yield* json(`device explain ${at} ${installation}`);
      assert.deepStrictEqual([reached.campaign_id, reached.reaches, others], [running, true, []]);
      const [why] = yield* json(`device explain ${at} ${device.id} --campaign ${paused}`);
      assert.strictEqual(why.reason, "paused");
      const [past] = yield* json(
        `device explain ${at} ${device.id} --campaign ${paused} --at 2026-11-21T11:00:00Z`,
      );
      assert.strictEqual(past.reason, "unknown");
      assert.include(
        (yield* run(`device explain ${at} ${device.id} --at 2026-11-21T11:00:00Z`)).stderr,
        "campaign",
      );
      const unknown = yield* run(`device explain ${at} nobody`);
      assert.deepStrictEqual([unknown.code, unknown.stdout], [1, ""]);
      assert.include(unknown.stderr, 'There is no device called "nobody".');
      assert.strictEqual((yield* run(`device explain ${at} ${device.id} --campaign x`)).code, 1);
    }),
  );
});
