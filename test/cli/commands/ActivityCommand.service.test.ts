import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../../TestWaypost.ts";
import { commandLine } from "../CommandLine.ts";

const rule = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };

layer(TestWaypost.shared)("waypost activity list", (it) => {
  it.effect(
    "waypost activity list shows who changed what, by actor, resource and action (cli.activity)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { json, run } = yield* commandLine;
        const { workspace } = yield* waypost.tenant();
        const path = `/workspaces/${workspace.id}/sandbox`;
        yield* waypost.operator(`${path}/segments`, { body: { name: "Gold", rule } });
        const list = `activity list -w ${workspace.id} -e sandbox`;
        assert.deepStrictEqual(yield* json(list), (yield* waypost.operator(`${path}/activity`)).body.data);
        const { stdout } = yield* run(`${list} --actor operator --resource segment --action create`);
        assert.match(stdout, /^AT +ACTOR +ACTION +RESOURCE +FIELDS$/m);
        assert.match(stdout, /operator +create +segment Gold +name, rule/);
        const none = yield* run(`${list} --action pause`);
        assert.deepStrictEqual([none.code, none.stdout], [0, "No change matches.\n"]);
        assert.strictEqual((yield* run(`${list} --action lost`)).code, 2);
        for (const flag of ["actor", "resource"]) {
          const { code, stderr } = yield* run(`${list} --${flag} someone`);
          assert.strictEqual(code, 2);
          assert.include(stderr, `The ${flag} must be `);
        }
      }),
  );
});
