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
import { folderSizes, maxFiles, naming } from "../../scripts/check/naming.ts";
import {
  citusInItsModule,
  declaredServices,
  documented,
  exportNames,
  fileLength,
  handlerGroups,
  layersMeetOnce,
  maxLines,
  runOnce,
  timeFromClock,
  timeIsAParameter,
} from "../../scripts/check/shape.ts";

type Rule = (file: SourceFile) => ReadonlyArray<Finding>;

const linesFound = (rule: Rule, text: string, path = "src/campaigns/Campaigns.ts"): ReadonlyArray<number> =>
  rule({ path, text }).map(({ line }) => line);

const filesFound = (...paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  naming(paths, ["campaigns", "sending", "cli"]).map(({ file }) => file);

describe("naming", () => {
  it("a file name is PascalCase and its folder is a known slice", () => {
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

  it("a file name is a noun, not a vague word", () => {
    for (const name of ["Index", "DateUtils", "CampaignManager", "CampaignsLive", "Common", "TestHelpers"])
      assert.deepStrictEqual(filesFound(`src/campaigns/${name}.ts`), [`src/campaigns/${name}.ts`]);
    assert.deepStrictEqual(filesFound("src/campaigns/Delivery.ts", "src/campaigns/GeofenceIndex.ts"), []);
    assert.deepStrictEqual(filesFound("src/campaigns/utils/Day.ts"), ["src/campaigns/utils/Day.ts"]);
  });

  it("a file name is unique in the repository, whatever its case", () => {
    assert.deepStrictEqual(filesFound("src/campaigns/Answer.ts", "src/sending/ANSWER.ts"), [
      "src/sending/ANSWER.ts",
    ]);
    assert.deepStrictEqual(filesFound("src/campaigns/Answer.ts", "test/campaigns/Answer.test.ts"), []);
  });
});

describe("sizes", () => {
  const text = (lines: number): string => "x\n".repeat(lines);

  it("a file of src/ has at most 250 lines, any other file 300", () => {
    assert.deepStrictEqual(maxLines, { program: 250, elsewhere: 300 });
    assert.deepStrictEqual(linesFound(fileLength, text(250)), []);
    assert.deepStrictEqual(linesFound(fileLength, text(251)), [251]);
    assert.deepStrictEqual(linesFound(fileLength, text(300), "test/http/Bodies.service.test.ts"), []);
    assert.deepStrictEqual(linesFound(fileLength, text(301), "test/http/Bodies.service.test.ts"), [301]);
  });

  it("a folder of src/ has at most 35 files on one level, and src/ itself 8", () => {
    assert.deepStrictEqual(maxFiles, { folder: 35, root: 8 });
    const files = (folder: string, count: number): ReadonlyArray<string> =>
      Array.from({ length: count }, (_, index) => `${folder}/File${index}.ts`);
    const foldersFound = (...paths: ReadonlyArray<string>) => folderSizes(paths).map(({ file }) => file);
    assert.deepStrictEqual(foldersFound(...files("src/http", 35), ...files("src/http/deep", 35)), []);
    assert.deepStrictEqual(foldersFound(...files("src/http", 36)), ["src/http"]);
    assert.deepStrictEqual(foldersFound(...files("src", 8), ...files("test/http", 100)), []);
    assert.deepStrictEqual(foldersFound(...files("src", 9)), ["src"]);
  });
});

describe("exports", () => {
  it("an export needs a docstring, or a schema with a description", () => {
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

  it("an export is not called Live, Impl or Manager", () => {
    assert.deepStrictEqual(
      linesFound(exportNames, "export const CampaignsLive = 1;\nexport class Delivery {}"),
      [1],
    );
  });
});

describe("layers", () => {
  const inStatic = "export class A {\n  static readonly layer = b.pipe(\n    Layer.provide(c),\n  );\n}\n";
  const outside = "export const layer = b.pipe(\n  Layer.provide(c),\n);\n";

  it("a layer is wired in Waypost.ts or in a static member of a class", () => {
    assert.deepStrictEqual(linesFound(layersMeetOnce, inStatic), []);
    assert.deepStrictEqual(linesFound(layersMeetOnce, outside, "src/Waypost.ts"), []);
  });

  it("a layer is not wired anywhere else", () => {
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

  it("only main.ts runs effects", () => {
    const text = "// Effect.runPromise would be wrong\nEffect.runPromise(program);\n";
    assert.deepStrictEqual(linesFound(runOnce, text), [2]);
    assert.deepStrictEqual(linesFound(runOnce, text, "src/main.ts"), []);
  });

  it("groups of handlers are built with a small context", () => {
    const text = 'export const meHandlers = HttpApiBuilder.group(PlatformApi, "me", (handlers) =>\n';
    assert.deepStrictEqual(linesFound(handlerGroups, text), [1]);
    assert.deepStrictEqual(linesFound(handlerGroups, text, "src/wire/HandlerGroup.ts"), []);
  });
});

describe("modules", () => {
  it("Citus is named in its module only, also in comments (running.citus)", () => {
    const text = 'import { a } from "../database/citus/A.ts";\n// Citus cannot plan it.\n';
    assert.deepStrictEqual(linesFound(citusInItsModule, text), [1, 2]);
    assert.deepStrictEqual(linesFound(citusInItsModule, text, "src/database/SeveralNodes.ts"), []);
    assert.deepStrictEqual(linesFound(citusInItsModule, text, "src/database/citus/LostNode.ts"), []);
  });
});

describe("services", () => {
  const inferred = "export class Sends extends Context.Service<Sends>()(";
  const declared = "export class Sends extends Context.Service<\n  Sends,";
  const found = (service: string, path: string): ReadonlyArray<number> => {
    const from = path === "src/Waypost.ts" ? "./sending/sends/Sends.ts" : "../sending/sends/Sends.ts";
    const user = {
      path,
      text: `import { Effect } from "effect";\nimport { type Send, Sends } from "${from}";\n`,
    };
    return declaredServices([{ path: "src/sending/sends/Sends.ts", text: service }, user]).map(
      ({ line }) => line,
    );
  };

  it("a service that another slice imports declares its interface", () => {
    assert.deepStrictEqual(found(inferred, "src/reports/Estimates.ts"), [1]);
    assert.deepStrictEqual(found(declared, "src/reports/Estimates.ts"), []);
  });

  it("a service of one slice may infer it", () => {
    assert.deepStrictEqual(found(inferred, "src/sending/Messages.ts"), []);
    assert.deepStrictEqual(found(inferred, "src/Waypost.ts"), []);
  });
});

describe("time", () => {
  it("the program takes the time from Clock", () => {
    assert.deepStrictEqual(
      linesFound(timeFromClock, "const a = Date.now();\nconst b = new Date();\n"),
      [1, 2],
    );
    assert.deepStrictEqual(linesFound(timeFromClock, "new Date(millis); yield* DateTime.now;\n"), []);
  });

  it("time in SQL is a parameter", () => {
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
  it("a test does not sleep", () => {
    for (const text of [
      "setTimeout(f, 1)",
      "globalThis.setTimeout(f, 1)",
      "yield* Effect.sleep(1)",
      'from "node:timers"',
      'from "node:timers/promises"',
    ])
      assert.deepStrictEqual(linesFound(noSleeps, text), [1]);
    for (const text of ["yield* TestClock.adjust(1) // not setTimeout(f)", "socket.setTimeout(1000, end)"])
      assert.deepStrictEqual(linesFound(noSleeps, text), []);
  });

  it("a test is not skipped", () => {
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
  it("a dependency has an exact version", () => {
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

  it("the lockfile has an entry for every optional dependency, also of other platforms", () => {
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

  it("a package and the lockfile in its folder have the same versions", () => {
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

  it("the lockfile and other files name no registry", () => {
    // Joined here, so that this file names no registry either.
    const host = ["registry", "example", "org"].join(".");
    assert.deepStrictEqual(linesFound(lockfileWithoutHosts, `      "resolved": "${host}/a.tgz",`), [1]);
    assert.deepStrictEqual(linesFound(lockfileWithoutHosts, '      "resolved": "packages/a",\n'), [1]);
    assert.deepStrictEqual(linesFound(lockfileWithoutHosts, '      "resolved": "file:a",\n'), []);
    assert.deepStrictEqual(linesFound(noRegistryHosts, `registry=${host}`), [1]);
    assert.deepStrictEqual(linesFound(noRegistryHosts, "the container registry of your choice"), []);
  });
});
