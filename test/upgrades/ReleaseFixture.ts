import { Effect } from "effect";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { createBackup } from "../../src/backup/CreateBackup.ts";
import { scopedFolder } from "../Listening.ts";
import { type HistoryAccess, makeHistory, observe } from "./ReleaseHistory.ts";
import { keys, waypostIn } from "./ReleaseWaypost.ts";

/** The part of a fixture besides its backup. */
export interface ReleaseFixture {
  /** The migrations of the version. */
  readonly migrations: ReadonlyArray<{ readonly name: string; readonly checksum: string }>;
  readonly tables: ReadonlyArray<{ readonly name: string; readonly rows: number }>;
  /** The time of the responses, in milliseconds since 1970. */
  readonly at: number;
  /** The responses by path. */
  readonly seen: Readonly<Record<string, unknown>>;
  readonly access: HistoryAccess;
}

/** The two files of a fixture. */
export const filesOf = (folder: string, version: string) => ({
  backup: join(folder, `${version}.tar.gz`),
  answers: join(folder, `${version}.json.br`),
});

/** A folder that is removed with the scope and that the account of an embedded database may enter. */
export const temporaryFolder = Effect.tap(scopedFolder("fixture"), (made) =>
  Effect.promise(() => chmod(made, 0o755)),
);

/** Writes the fixture of this version to the folder and replaces an existing one. */
export const makeFixture = Effect.fnUntraced(function* (folder: string, version: string) {
  const { answers, backup } = filesOf(folder, version);
  const dataDir = yield* temporaryFolder;
  yield* Effect.promise(async () => {
    await writeFile(join(dataDir, "operator.key"), `${keys.operator}\n`, { mode: 0o600 });
    await writeFile(join(dataDir, "secret.key"), `${keys.secret}\n`, { mode: 0o600 });
    await rm(backup, { force: true });
  });
  const make = Effect.gen(function* () {
    const access = yield* makeHistory;
    const responses = yield* observe(access);
    const { migrations, tables } = yield* createBackup({ dataDir, path: backup, bucket: null });
    return { migrations, tables, access, ...responses } satisfies ReleaseFixture;
  });
  const fixture: ReleaseFixture = yield* Effect.provide(make, waypostIn(dataDir));
  yield* Effect.promise(() => writeFile(answers, brotliCompressSync(JSON.stringify(fixture))));
  return fixture;
}, Effect.scoped);

/** Reads the part of a fixture besides its backup. */
export const readFixture = (folder: string, version: string) =>
  Effect.promise(
    async () =>
      JSON.parse(
        brotliDecompressSync(await readFile(filesOf(folder, version).answers)).toString(),
      ) as ReleaseFixture,
  );
