import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { keyFiles } from "../../src/backup/BackupManifest.ts";
import { createBackup } from "../../src/backup/CreateBackup.ts";
import { completeErasures } from "../../src/people/Erasures.ts";
import { withoutJobs } from "../events/DwellWorld.ts";
import { rollUp } from "../reports/rollups/StoredRollups.ts";
import { namesOf, personWorld } from "./PersonWorld.ts";

/** The bytes of a backup of the test's database, unpacked, as text with one character for each byte. */
const backupText = Effect.gen(function* () {
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-erased-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
  );
  for (const name of keyFiles) yield* Effect.promise(() => writeFile(join(dataDir, name), "key"));
  const path = join(dataDir, "backup.tar.gz");
  yield* Effect.orDie(createBackup({ dataDir, path, bucket: null }));
  return gunzipSync(yield* Effect.promise(() => readFile(path))).toString("latin1");
}).pipe(Effect.scoped);

/** The texts that are in a backup, also as hexadecimal digits, in which rows hold bytes. */
const foundIn = (backup: string, texts: ReadonlyArray<string>) =>
  texts.filter((text) => [text, Buffer.from(text).toString("hex")].some((each) => backup.includes(each)));

layer(withoutJobs)("Backups after an erasure", (it) => {
  it.effect("a backup after an erasure has no byte that names the person (Q3.2, running.backup)", () =>
    Effect.gen(function* () {
      const world = yield* personWorld;
      yield* world.make();
      yield* world.failedPush;
      const names = namesOf([world.phone, world.tablet]);
      const before = yield* backupText;
      assert.sameMembers(foundIn(before, names), names);

      assert.deepStrictEqual(yield* world.erase, [200, { devices: 2 }]);
      yield* TestClock.adjust("35 seconds");
      yield* completeErasures;
      yield* rollUp;
      const after = yield* backupText;
      assert.deepStrictEqual(foundIn(after, names), []);
      // The backup has what is somebody else's.
      assert.include(after, "zother text");
      assert.include(after, "somebody-else");
    }),
  );
});
