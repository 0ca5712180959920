import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { givenWorkspace } from "../../given/GivenWorkspace.ts";
import { TestWaypost } from "../../TestWaypost.ts";
import { commandLine } from "../CommandLine.ts";

layer(TestWaypost.shared)("waypost person", (it) => {
  it.effect("a person is exported and erased, and a device alone (Q3.7)", () =>
    Effect.gen(function* () {
      const { json, run } = yield* commandLine;
      const { sandbox, workspace } = yield* givenWorkspace();
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

  it.effect("a file of devices is imported, and its failed rows are shown (Q4.7)", () =>
    Effect.gen(function* () {
      const { json, run } = yield* commandLine;
      const { workspace } = yield* givenWorkspace();
      const folder = mkdtempSync(join(tmpdir(), "waypost-devices-"));
      const [csv, lines] = [join(folder, "devices.csv"), join(folder, "devices.jsonl")];
      writeFileSync(csv, "installation_id,platform\none,ios\ntwo,symbian\n");
      writeFileSync(lines, `{"installation_id":"one","user_id":"anna"}\n`);
      const flags = `-w ${workspace.id} -e sandbox`;
      const { code, stdout } = yield* run(`device import ${flags} ${csv}`);
      assert.strictEqual(code, 0);
      assert.match(stdout, /^1 created, 0 updated, 1 failed\nrow 1: The platform/);
      const report = yield* json(`device import ${flags} ${lines}`);
      assert.deepInclude(report.data.summary, { created: 0, updated: 1 });
      writeFileSync(csv, "name\none\n");
      assert.strictEqual((yield* run(`device import ${flags} ${csv}`)).code, 1);
      assert.strictEqual((yield* run(`device import ${flags} ${csv}.none`)).code, 2);
      rmSync(folder, { recursive: true });
    }),
  );
});
