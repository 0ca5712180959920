import { Effect } from "effect";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PostgresBinaries } from "../../../src/database/embedded/PostgresBinaries.ts";
import { copyDatabase } from "./PreparedData.ts";

/** All that a prepared database depends on, besides the version of PostgreSQL. */
const sources = ["schema", "src/database/embedded", "src/database/migrations", "test/globalSetup.ts"];

/** A database that no run has used for a week is removed. */
const maxIdleMillis = 7 * 86_400_000;

const prefix = join(tmpdir(), `waypost-prepared-${process.getuid?.() ?? 0}-`);

const filesOf = async (path: string): Promise<ReadonlyArray<string>> => {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .toSorted();
};

/**
 * The folder in which runs of tests keep a prepared database for later ones. Its name has a digest of what
 * the database depends on.
 */
export const keptDatabase: Effect.Effect<string> = Effect.gen(function* () {
  const { version } = yield* yield* PostgresBinaries;
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const hash = createHash("sha256").update(version);
  yield* Effect.promise(async () => {
    for (const source of sources)
      for (const file of await filesOf(join(root, source)))
        hash.update(`\0${file.slice(root.length)}\0`).update(await readFile(file));
  });
  return prefix + hash.digest("hex").slice(0, 32);
}).pipe(Effect.orDie);

/** Copies the database of a folder to a data directory. Returns false if no run has kept it. */
export const takeKept = async (kept: string, dataDir: string): Promise<boolean> => {
  try {
    // In a folder for everybody's files, somebody else may have made it.
    if ((await stat(kept)).uid !== process.getuid?.()) return false;
    await utimes(kept, new Date(), new Date());
    await copyDatabase(kept, dataDir);
    return true;
  } catch {
    await rm(join(dataDir, "postgres"), { recursive: true, force: true });
    return false;
  }
};

/** Keeps a copy of a database. It gets its name when it is whole: a kill or another run cannot spoil it. */
export const keep = async (dataDir: string, kept: string): Promise<void> => {
  const copy = await mkdtemp(`${kept}-`);
  await copyDatabase(dataDir, copy);
  // Fails if another run was first.
  await rename(copy, kept).catch(() => rm(copy, { recursive: true }));
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!folder.startsWith(prefix)) continue;
    const used = (await stat(folder).catch(() => null))?.mtimeMs ?? Infinity;
    if (used < Date.now() - maxIdleMillis) await rm(folder, { recursive: true, force: true });
  }
};
