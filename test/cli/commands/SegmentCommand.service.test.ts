import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { push } from "../../campaigns/CampaignWorld.ts";
import { TestWaypost, testOperatorKey } from "../../TestWaypost.ts";
import { commandLine, runCli } from "../CommandLine.ts";

const gold = { attribute: "plan", op: "eq", value: "gold" };
const cities = { attribute: "city", op: "in", value: ["a", "b", "c", "d", "e", "f", "g"] };
const rule = {
  match: "any",
  conditions: [gold, cities, { attribute: "visits", op: "exists", value: false }],
};

/** A workspace with this name, and `segment create` in its Sandbox. */
const segmentLine = (name: string) =>
  Effect.gen(function* () {
    const line = yield* commandLine;
    yield* line.json(`workspace create --name ${name}`);
    const environment = { WAYPOST_URL: line.origin, WAYPOST_OPERATOR_KEY: testOperatorKey };
    const target = ["-w", name, "-e", "sandbox"];
    return {
      ...line,
      create: (...parameters: ReadonlyArray<string>) =>
        runCli(["segment", "create", ...target, ...parameters], environment),
    };
  });

layer(TestWaypost.shared)("waypost segment", (it) => {
  it.effect("waypost segment creates, lists, shows and deletes segments by name or id (cli.segment)", () =>
    Effect.gen(function* () {
      const { create, device, json, run } = yield* segmentLine("Shop");
      const { sdk_key: key } = yield* json("sdk-key issue -w Shop -e sandbox");
      yield* device(key)("/devices/one", {
        method: "PUT",
        body: { platform: "ios", attributes: { plan: "gold", visits: 1 } },
      });
      const made = yield* create("--name", "Gold", "--rule", JSON.stringify(rule));
      assert.deepStrictEqual([made.code, made.stderr], [0, ""]);
      const words = 'plan = "gold" or city in "a", "b", "c", "d", "e" and 2 more or visits is missing';
      assert.include(made.stdout, 'Created the segment "Gold".\n');
      assert.include(made.stdout, words);
      const [listed, ...others] = yield* json("segment list -w Shop -e sandbox");
      assert.deepInclude(listed, { name: "Gold", rule, device_count: 1 });
      assert.lengthOf(others, 0);
      const table = yield* run("segment list -w Shop -e sandbox");
      assert.match(table.stdout, /^ID +NAME +DEVICES +RULE\n.* Gold +1 +plan = "gold" or city in/);
      assert.deepStrictEqual(yield* json("segment show -w Shop -e sandbox gold"), listed);
      assert.deepStrictEqual(yield* json("segment list -w Shop -e production"), []);
      const gone = yield* json(`segment delete -w Shop -e sandbox ${listed.id}`);
      assert.deepStrictEqual(gone, { id: listed.id, deleted: true });
      const none = yield* run("segment show -w Shop -e sandbox Gold");
      assert.deepStrictEqual([none.code, none.stderr], [1, 'There is no segment called "Gold".\n']);
    }),
  );

  it.effect("takes a rule from a file, and one rule alone (cli.segment)", () =>
    Effect.gen(function* () {
      const { create } = yield* segmentLine("Files");
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-cli-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true })),
      );
      const file = join(folder, "rule.json");
      yield* Effect.promise(() => writeFile(file, JSON.stringify(rule)));
      const made = yield* create("--name", "Gold", "--rule-file", file, "--json");
      assert.deepStrictEqual(JSON.parse(made.stdout).rule, rule);
      const both = yield* create("--name", "Both", "--rule-file", file, "--rule", "{}");
      const neither = yield* create("--name", "Neither");
      for (const { code, stderr } of [both, neither]) {
        assert.deepStrictEqual([code, stderr], [2, "Give either --rule or --rule-file.\n"]);
      }
    }),
  );

  it.effect(
    "waypost segment names every problem of a rule, and why a segment cannot be deleted (cli.segment)",
    () =>
      Effect.gen(function* () {
        const { create, json, platform, run } = yield* segmentLine("Wrong");
        const broken = yield* create("--name", "Gold", "--rule", "plan = gold");
        assert.strictEqual(broken.code, 1);
        assert.match(broken.stderr, /^The rule must be JSON, such as \{"match": /);
        const wrong = yield* create(
          "--name",
          " ",
          "--rule",
          '{"match": "some", "conditions": [{"attribute": "a", "op": "is"}]}',
        );
        assert.strictEqual(wrong.code, 1);
        assert.match(wrong.stderr, /\n {2}name: [^]*\n {2}rule\.match: [^]*\n {2}rule\.conditions\.0\.op: /);
        yield* create("--name", "Gold", "--rule", JSON.stringify(rule));
        const taken = yield* create("--name", "Gold", "--rule", JSON.stringify(rule));
        assert.deepStrictEqual([taken.code, taken.stdout], [1, ""]);
        assert.match(taken.stderr, /name: The name "Gold" is taken/);

        const { id } = yield* json("segment show -w Wrong -e sandbox Gold");
        const { token } = yield* json("token issue -w Wrong -e sandbox");
        yield* platform("sandbox", token)("/campaigns", { body: push({ segmentation_ids: [id] }) });
        const refused = yield* run("segment delete -w Wrong -e sandbox Gold");
        assert.deepStrictEqual([refused.code, refused.stdout], [1, ""]);
        assert.match(refused.stderr, /would reach everyone: "Black Friday"/);
      }),
  );
});
