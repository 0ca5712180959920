import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { devicesOf } from "../../devices/TestDevices.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { commandLine } from "../CommandLine.ts";

layer(TestWaypost.layer)("waypost person", (it) => {
  it.effect("a person is exported and erased, and a device alone (Q3.7)", () =>
    Effect.gen(function* () {
      const { json, run } = yield* commandLine;
      const { sandbox, workspace } = yield* devicesOf();
      const phone = yield* sandbox.device("phone", { user_id: "anna b" });
      const flags = `-w ${workspace.id} -e sandbox`;
      yield* sandbox.device("tablet", { user_id: "anna" });
      yield* sandbox.device("watch", { user_id: "anna" });
      const { devices } = yield* json(`person export ${flags} anna`);
      assert.deepStrictEqual(
        devices.map((each: any) => each.installation_id),
        ["tablet", "watch"],
      );
      const one = yield* run(`device erase ${flags} tablet`);
      assert.deepStrictEqual([one.code, one.stdout], [0, "Erased 1 device.\n"]);
      assert.deepStrictEqual(yield* json(`person erase ${flags} anna`), { devices: 1 });
      const again = yield* run(`person erase ${flags} anna`);
      assert.deepStrictEqual([again.code, again.stdout], [0, "There was nothing to erase.\n"]);
      assert.strictEqual((yield* run(`person export ${flags} anna`)).code, 1);
      assert.strictEqual((yield* run(`device erase ${flags} tablet`)).code, 1);
      assert.strictEqual((yield* run(`device erase ${flags} ${phone.id}`)).stdout, "Erased 1 device.\n");
      const twice = yield* run(`device erase ${flags} ${phone.id}`);
      assert.strictEqual(twice.stdout, "There was nothing to erase.\n");
    }),
  );
});
