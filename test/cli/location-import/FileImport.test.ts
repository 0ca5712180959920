import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandRefused } from "../../../src/cli/CommandRefused.ts";
import { unchanged } from "../../../src/cli/location-import/FeatureChanges.ts";
import { surveyFile } from "../../../src/cli/location-import/ImportFile.ts";
import { importFromFile, type ImportOptions } from "../../../src/cli/location-import/FileImport.ts";

const target = { url: "http://waypost.test", workspace: "w", environment: "sandbox" };

/** The file has 25,000 lines, so three parts. The server refuses every 5,000th line. */
const total = 25_000;
const isRefused = (n: number): boolean => n % 5_000 === 7;

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-import-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
);

/** A server that caches its responses by part. It can import a part and lose the response. */
const makeServer = () => {
  const responses = new Map<string, Effect.Success<ReturnType<ImportOptions["send"]>>>();
  const imported: Array<number> = [];
  let isLosing = false;
  const send: ImportOptions["send"] = (features, id) =>
    Effect.suspend(() => {
      const numbers = features.map((feature) => (feature as { readonly n: number }).n);
      let response = responses.get(id);
      if (response === undefined) {
        const results = numbers.map((n, index) =>
          isRefused(n)
            ? { index, status: "failed" as const, name: null, reasons: [`${n} is bad.`] }
            : { index, status: "created" as const, name: null, reasons: null },
        );
        const failed = numbers.filter(isRefused).length;
        imported.push(...numbers);
        const summary = { created: numbers.length - failed, updated: 0, skipped: 0, failed };
        response = { dry_run: false, results, summary };
        responses.set(id, response);
      }
      return isLosing ? Effect.fail(new CommandRefused({ message: "lost" })) : Effect.succeed(response);
    });
  return { send, imported, lose: (isOn: boolean) => void (isLosing = isOn) };
};

const line = (n: number): string => JSON.stringify({ n, type: "Feature" });

const makeFile = Effect.gen(function* () {
  const path = join(yield* folder, "locations.ndjson");
  yield* Effect.promise(() => writeFile(path, Array.from({ length: total }, (_, n) => line(n)).join("\n")));
  return path;
});

const survey = (path: string) =>
  Effect.promise(() => surveyFile(path, undefined, unchanged, () => undefined));

const options = (send: ImportOptions["send"], overrides: Partial<ImportOptions> = {}): ImportOptions => ({
  target,
  isDryRun: false,
  isRestart: false,
  send,
  onProgress: () => Effect.void,
  ...overrides,
});

describe("an import of a large file", () => {
  it.effect(
    "a resumed import sends and refuses each feature once (cli.import, operator.import_command)",
    () =>
      Effect.gen(function* () {
        const path = yield* makeFile;
        const file = yield* survey(path);
        assert.deepStrictEqual([file.format, file.entries], ["ndjson", total]);
        const server = makeServer();
        let done = 0;
        const stopping = options(server.send, {
          onProgress: (now) => Effect.sync(() => server.lose((done = now) >= 10_000)),
        });
        assert.strictEqual((yield* Effect.flip(importFromFile(file, stopping))).message, "lost");
        assert.deepStrictEqual([done, server.imported.length], [10_000, 20_000]);

        server.lose(false);
        const outcome = yield* importFromFile(file, options(server.send));
        assert.deepStrictEqual(
          server.imported,
          Array.from({ length: total }, (_, n) => n),
        );
        assert.deepStrictEqual(outcome.counts, { created: total - 5, updated: 0, skipped: 0, failed: 5 });
        assert.deepStrictEqual([outcome.resumedParts, outcome.parts], [1, 3]);
        const refused = JSON.parse(yield* Effect.promise(() => readFile(`${path}.refused.geojson`, "utf8")));
        assert.deepStrictEqual(
          refused.features,
          [7, 5_007, 10_007, 15_007, 20_007].map((n) => ({ n, type: "Feature", refused: [`${n} is bad.`] })),
        );
        const names = yield* Effect.promise(() => readdir(join(path, "..")));
        assert.deepStrictEqual(names.toSorted(), ["locations.ndjson", "locations.ndjson.refused.geojson"]);
      }),
  );

  it.effect("an interrupted import is never mixed with another file, another target or a dry run", () =>
    Effect.gen(function* () {
      const path = yield* makeFile;
      const server = makeServer();
      server.lose(true);
      const first = yield* survey(path);
      yield* Effect.flip(importFromFile(first, options(server.send)));
      const elsewhere = options(server.send, { target: { ...target, environment: "production" } });
      const other = yield* Effect.flip(importFromFile(first, elsewhere));
      assert.match(other.message, /not finished, into sandbox of the workspace w .*--restart/);

      server.lose(false);
      const dry = yield* importFromFile(first, options(makeServer().send, { isDryRun: true }));
      assert.strictEqual(dry.refusedFile, `${path}.dry-run.refused.geojson`);

      const split = { ...first, changes: { isSplit: true, isIdExternal: false } };
      const otherwise = yield* Effect.flip(importFromFile(split, options(server.send)));
      assert.match(otherwise.message, /it has neither --split nor --id-from.*--restart/);

      yield* Effect.promise(() => writeFile(path, line(1)));
      const changed = yield* survey(path);
      const refused = yield* Effect.flip(importFromFile(changed, options(server.send)));
      assert.match(refused.message, /the file has changed since.*--restart/);
      const outcome = yield* importFromFile(changed, options(server.send, { isRestart: true }));
      assert.deepStrictEqual([outcome.counts.created, outcome.refusedFile], [1, null]);

      yield* Effect.promise(() => writeFile(`${path}.waypost-import.json`, "{}"));
      const lost = yield* Effect.flip(importFromFile(changed, options(server.send)));
      assert.match(lost.message, /its progress cannot be read.*--restart/);
    }),
  );
});
