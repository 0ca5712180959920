/**
 * Makes the fixture of this version: a backup of a small history with rows of every kind, and what its interfaces answer. Tests bring
 * it up to every later version (docs/decisions/0029). `npm run release:fixture`.
 */
import { Effect, Layer, References } from "effect";
import { TestClock } from "effect/testing";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import manifest from "../package.json" with { type: "json" };
import { makeBackup } from "../src/operator/backup/MakeBackup.ts";
import { makeHistory, observe } from "../test/upgrades/ReleaseHistory.ts";
import { keys, waypostIn } from "../test/upgrades/ReleaseWaypost.ts";

const fixtures = join(import.meta.dirname, "../test/upgrades/fixtures");
const backup = join(fixtures, `${manifest.version}.tar.gz`);
const answers = join(fixtures, `${manifest.version}.json.br`);
const directory = mkdtempSync(join(tmpdir(), "waypost-fixture-"));
chmodSync(directory, 0o755);

const make = Effect.gen(function* () {
  const asking = yield* makeHistory;
  const answered = yield* observe(asking);
  rmSync(backup, { force: true });
  const made = yield* makeBackup({ dataDir: directory, path: backup, bucket: null });
  const { migrations, tables } = made;
  writeFileSync(answers, brotliCompressSync(JSON.stringify({ migrations, tables, asking, ...answered })));
  return made;
});

try {
  writeFileSync(join(directory, "operator.key"), `${keys.operator}\n`, { mode: 0o600 });
  writeFileSync(join(directory, "secret.key"), `${keys.secret}\n`, { mode: 0o600 });
  const made = await Effect.runPromise(
    make.pipe(
      Effect.provide(Layer.provideMerge(waypostIn(directory), TestClock.layer())),
      Effect.provideService(References.MinimumLogLevel, "Warn"),
      Effect.scoped,
    ),
  );
  const empty = made.tables.filter(({ rows }) => rows === 0).map(({ name }) => name);
  const size = (path: string) => `${path} (${(statSync(path).size / 1024).toFixed(0)} KB)`;
  console.log(`Wrote ${size(backup)} and ${size(answers)}.`);
  console.log(empty.length === 0 ? "Every table has rows." : `Without rows: ${empty.join(", ")}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
