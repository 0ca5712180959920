import { assert, describe, it } from "@effect/vitest";
import type { Finding, SourceFile } from "../../scripts/check/finding.ts";
import {
  lockfileAgrees,
  lockfileComplete,
  lockfileWithoutHosts,
  noRegistryHosts,
  noSkips,
  noSleeps,
  pinned,
} from "../../scripts/check/guards.ts";
import { naming } from "../../scripts/check/naming.ts";
import {
  documented,
  exportNames,
  fileLength,
  layersMeetOnce,
  runOnce,
  timeFromClock,
  timeIsAParameter,
} from "../../scripts/check/shape.ts";

type Rule = (file: SourceFile) => ReadonlyArray<Finding>;

const linesFound = (rule: Rule, text: string, path = "src/campaigns/Campaigns.ts"): ReadonlyArray<number> =>
  rule({ path, text }).map(({ line }) => line);

const filesFound = (...paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  naming(paths, ["campaigns", "sending", "cli"]).map(({ file }) => file);

describe("file names", () => {
  it("are PascalCase under a known slice", () => {
    assert.deepStrictEqual(
      filesFound(
        "src/main.ts",
        "src/cli/Cli.ts",
        "src/campaigns/Campaign.ts",
        "src/sending/push/transports/Fcm.ts",
      ),
      [],
    );
    const wrong = ["src/campaigns/campaign.ts", "src/campaigns/Local-time.ts", "src/elsewhere/Campaign.ts"];
    for (const path of wrong) assert.deepStrictEqual(filesFound(path), [path]);
  });

  it("are nouns, not vague words", () => {
    for (const name of ["Index", "DateUtils", "CampaignManager", "CampaignsLive", "Common", "TestHelpers"])
      assert.deepStrictEqual(filesFound(`src/campaigns/${name}.ts`), [`src/campaigns/${name}.ts`]);
    assert.deepStrictEqual(filesFound("src/campaigns/Delivery.ts", "src/campaigns/GeofenceIndex.ts"), []);
    assert.deepStrictEqual(filesFound("src/campaigns/utils/Day.ts"), ["src/campaigns/utils/Day.ts"]);
  });

  it("are unique in the repository, whatever their case", () => {
    assert.deepStrictEqual(filesFound("src/campaigns/Answer.ts", "src/sending/ANSWER.ts"), [
      "src/sending/ANSWER.ts",
    ]);
    assert.deepStrictEqual(filesFound("src/campaigns/Answer.ts", "test/campaigns/Answer.test.ts"), []);
  });
});

describe("files", () => {
  it("have at most 300 lines", () => {
    assert.deepStrictEqual(linesFound(fileLength, "x\n".repeat(300)), []);
    assert.deepStrictEqual(linesFound(fileLength, "x\n".repeat(301)), [301]);
  });

  it("say of each export what it promises", () => {
    assert.deepStrictEqual(linesFound(documented, "export const day = 1;\n"), [1]);
    assert.deepStrictEqual(linesFound(documented, "/** A day. */\nexport const day = 1;\n"), []);
    assert.deepStrictEqual(linesFound(documented, "// A day.\nexport class Day {}\n"), [2]);
    assert.deepStrictEqual(
      linesFound(
        documented,
        'export const Day = x.annotate({\n  description: "A day.",\n});\nexport type Day = 1;\n',
      ),
      [],
    );
    assert.deepStrictEqual(
      linesFound(documented, 'export const a = 1;\n\nconst b = {\n  description: "Not of a.",\n};\n'),
      [1],
    );
  });

  it("export nothing called Live, Impl or Manager", () => {
    assert.deepStrictEqual(
      linesFound(exportNames, "export const CampaignsLive = 1;\nexport class Delivery {}"),
      [1],
    );
  });
});

describe("layers", () => {
  const inStatic = "export class A {\n  static readonly layer = b.pipe(\n    Layer.provide(c),\n  );\n}\n";
  const outside = "export const layer = b.pipe(\n  Layer.provide(c),\n);\n";

  it("meet in Waypost.ts or in a class's static member", () => {
    assert.deepStrictEqual(linesFound(layersMeetOnce, inStatic), []);
    assert.deepStrictEqual(linesFound(layersMeetOnce, outside, "src/Waypost.ts"), []);
  });

  it("meet nowhere else", () => {
    assert.deepStrictEqual(linesFound(layersMeetOnce, outside), [2]);
    assert.deepStrictEqual(linesFound(layersMeetOnce, `${inStatic}${outside}`), [7]);
    assert.deepStrictEqual(
      linesFound(
        layersMeetOnce,
        "class A {\n  static x = 1;\n  wire() {\n    return Layer.provideMerge(c);\n  }\n}",
      ),
      [4],
    );
  });

  it("run in main.ts alone", () => {
    const text = "// Effect.runPromise would be wrong\nEffect.runPromise(program);\n";
    assert.deepStrictEqual(linesFound(runOnce, text), [2]);
    assert.deepStrictEqual(linesFound(runOnce, text, "src/main.ts"), []);
  });
});

describe("time", () => {
  it("comes from Clock in the program", () => {
    assert.deepStrictEqual(
      linesFound(timeFromClock, "const a = Date.now();\nconst b = new Date();\n"),
      [1, 2],
    );
    assert.deepStrictEqual(linesFound(timeFromClock, "new Date(millis); yield* DateTime.now;\n"), []);
  });

  it("is a parameter in SQL", () => {
    for (const text of [
      "DEFAULT now()",
      "WHERE due_at < NOW()",
      "due_at < current_timestamp",
      "clock_timestamp()",
    ])
      assert.deepStrictEqual(linesFound(timeIsAParameter, text), [1]);
    for (const text of ["-- never now()", "WHERE due_at <= ${now}", "known()", "* not now() either"])
      assert.deepStrictEqual(linesFound(timeIsAParameter, text), []);
  });
});

describe("tests", () => {
  it("do not sleep", () => {
    for (const text of ["setTimeout(f, 1)", "yield* Effect.sleep(1)", 'from "node:timers/promises"'])
      assert.deepStrictEqual(linesFound(noSleeps, text), [1]);
    assert.deepStrictEqual(linesFound(noSleeps, "yield* TestClock.adjust(1) // not setTimeout(f)"), []);
  });

  it("all run", () => {
    for (const text of [
      "it.skip(",
      "it.effect.only(",
      "describe.todo(",
      "it.live.fails(",
      "xit(",
      "ctx.skip()",
    ])
      assert.deepStrictEqual(linesFound(noSkips, text), [1]);
    assert.deepStrictEqual(linesFound(noSkips, "Stream.skip(1); it.effect.prop("), []);
  });
});

describe("dependencies", () => {
  it("are pinned exactly", () => {
    const text = [
      "{",
      '  "engines": {',
      '    "node": ">=20"',
      "  },",
      '  "devDependencies": {',
      '    "a": "1.2.3",',
      '    "b": "18.4.0-beta.17",',
      '    "c": "^1.2.3",',
      '    "d": "latest"',
      "  }",
      "}",
    ].join("\n");
    assert.deepStrictEqual(linesFound(pinned, text, "package.json"), [8, 9]);
  });

  it("are all in the lockfile, other platforms' too", () => {
    const text = (name: string): string =>
      [
        "{",
        '  "packages": {',
        '    "node_modules/a": {',
        '      "dependencies": {',
        '        "elsewhere": "1.0.0"',
        "      },",
        '      "optionalDependencies": {',
        '        "@a/linux": "1.0.0",',
        '        "@a/mac": "1.0.0"',
        "      }",
        "    },",
        '    "node_modules/@a/linux": {',
        "    },",
        `    "node_modules/a/node_modules/${name}": {`,
        "    }",
        "  }",
        "}",
      ].join("\n");
    assert.deepStrictEqual(linesFound(lockfileComplete, text("@a/mac"), "package-lock.json"), []);
    assert.deepStrictEqual(linesFound(lockfileComplete, text("@a/windows"), "package-lock.json"), [9]);
  });

  it("are those of the lockfile, in each folder that has a package", () => {
    const manifest = { path: "package.json", text: '{"dependencies":{"a":"1.2.3","b":"1.0.0"}}' };
    const lockfile = (dependencies: string) => ({
      path: "package-lock.json",
      text: `{"packages":{"":{"dependencies":${dependencies}}}}`,
    });
    assert.deepStrictEqual(lockfileAgrees(manifest, lockfile('{"b":"1.0.0","a":"1.2.3"}')), []);
    assert.lengthOf(lockfileAgrees(manifest, lockfile('{"a":"1.2.4","b":"1.0.0"}')), 1);
    assert.lengthOf(lockfileAgrees(manifest, lockfile('{"a":"1.2.3"}')), 1);
    assert.lengthOf(lockfileAgrees(manifest, undefined), 1);
  });

  it("name no registry", () => {
    // Put together here, so that this file names none either.
    const host = ["registry", "example", "org"].join(".");
    assert.deepStrictEqual(linesFound(lockfileWithoutHosts, `      "resolved": "${host}/a.tgz",`), [1]);
    assert.deepStrictEqual(linesFound(lockfileWithoutHosts, '      "resolved": "packages/a",\n'), [1]);
    assert.deepStrictEqual(linesFound(lockfileWithoutHosts, '      "resolved": "file:a",\n'), []);
    assert.deepStrictEqual(linesFound(noRegistryHosts, `registry=${host}`), [1]);
    assert.deepStrictEqual(linesFound(noRegistryHosts, "the container registry of your choice"), []);
  });
});
