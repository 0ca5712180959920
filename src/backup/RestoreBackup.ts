import { Effect, Schema } from "effect";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { backupSql } from "./BackupSql.ts";
import { unpackRuntime } from "../database/embedded/BundledRuntime.ts";
import { EmbeddedPostgres } from "../database/embedded/EmbeddedPostgres.ts";
import { checksumOf, migrate, MigrationFiles } from "../database/migrations/Migrations.ts";
import { postgresLayer } from "../database/Postgres.ts";
import { BackupRefused } from "./BackupRefused.ts";
import { diskTrouble } from "./DiskFailure.ts";
import type { ProgressListener } from "./ProgressListener.ts";
import { BackupManifest, keyFiles, manifestName } from "./BackupManifest.ts";
import { readTar, TarBroken } from "./TarFile.ts";

const refused = (message: string) => new BackupRefused({ message });

const onDisk = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, BackupRefused> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      refused(
        error instanceof TarBroken
          ? `${path} is no whole backup: ${error.message}. Nothing was restored.`
          : `${path} cannot be restored: ${diskTrouble(error, path)}.`,
      ),
  });

const decodeManifest = Schema.decodeUnknownSync(Schema.fromJsonString(BackupManifest));

/** Reads the whole backup and compares every checksum, before anything is made. */
const verify = async (path: string, progress: ProgressListener): Promise<BackupManifest> => {
  const { size } = await stat(path);
  const found: Array<BackupManifest["files"][number]> = [];
  let manifest: BackupManifest | null = null;
  for await (const entry of readTar(path, (read) => progress("bytes checked", read, size))) {
    if (manifest !== null) throw new TarBroken("there is something after its manifest");
    const hash = createHash("sha256");
    const kept: Array<Buffer> = [];
    for await (const piece of entry.pieces) {
      hash.update(piece);
      if (entry.name === manifestName) kept.push(Buffer.from(piece));
    }
    if (entry.name === manifestName) {
      try {
        manifest = decodeManifest(Buffer.concat(kept).toString());
      } catch {
        throw new TarBroken("its manifest is not that of a backup this version can read");
      }
    } else found.push({ name: entry.name, bytes: entry.bytes, sha256: hash.digest("hex") });
  }
  if (manifest === null) throw new TarBroken("it has no manifest");
  const same =
    manifest.files.length === found.length &&
    manifest.files.every((file, index) => {
      const other = found[index];
      return other !== undefined && other.name === file.name && other.sha256 === file.sha256;
    });
  if (!same) throw new TarBroken("its checksums are not those of its manifest");
  return manifest;
};

/** The first migrations of the program, which must be those of the backup. */
const migrationsOf = Effect.fnUntraced(function* (manifest: BackupManifest) {
  const files = (yield* (yield* MigrationFiles).load).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const [index, { checksum, name }] of manifest.migrations.entries()) {
    const file = files[index];
    if (file?.name !== name) {
      return yield* refused(
        `The backup was made by a newer Waypost, ${manifest.waypost}: it has the migration ${name}. ` +
          "Restore it with that version or a later one.",
      );
    }
    if (checksumOf(file.text) !== checksum) {
      return yield* refused(
        `The backup was made by a development version of Waypost, ${manifest.waypost}, whose migration ${name} is not the one that was ` +
          "released. Restore it with the very version that made it.",
      );
    }
  }
  return files.slice(0, manifest.migrations.length);
});

/** Puts rows, keys and media where they belong in the folder, as the archive brings them. */
const unpack = Effect.fnUntraced(function* (
  path: string,
  folder: string,
  manifest: BackupManifest,
  progress: ProgressListener,
) {
  const all = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
  let restored = 0;
  const sql = yield* backupSql;
  const shapes = new Map(manifest.tables.map((table) => [table.name, table]));
  const media = new Set(manifest.media.files.map((file) => `media/${file}`));
  const keys = new Set<string>(keyFiles);
  const entries = readTar(path);
  yield* sql.transaction(
    Effect.gen(function* () {
      yield* sql.patient;
      yield* sql.asTheyAre;
      yield* sql.empty([...shapes.keys()]);
      while (true) {
        const next = yield* onDisk(path, () => entries.next());
        if (next.done === true) break;
        const { name, pieces } = next.value;
        const shape = shapes.get(/^rows\/([^/]+)\/\d+$/.exec(name)?.[1] ?? "");
        if (shape !== undefined) {
          const text = yield* onDisk(path, async () => {
            const kept: Array<Buffer> = [];
            for await (const piece of pieces) kept.push(Buffer.from(piece));
            return Buffer.concat(kept).toString();
          });
          const lines = text.split("\n").slice(0, -1);
          yield* sql.insert(
            shape,
            lines.map((line) => JSON.parse(line) as string),
          );
          restored += lines.length;
          progress("rows", restored, all);
        } else if (keys.has(name) || (media.has(name) && /^media\/[\w-]{2}\/[\w.-]+$/.test(name))) {
          const file = join(folder, name);
          yield* onDisk(path, async () => {
            await mkdir(dirname(file), { recursive: true, mode: 0o700 });
            await pipeline(pieces, createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }));
          });
        }
      }
      for (const sequence of manifest.sequences) yield* sql.standAt(sequence);
    }),
  );
  yield* sql.analyze;
});

/** Below that PostgreSQL, which writes ahead 16 MiB at a time, cannot go on. */
const leastFree = 32 * 1_048_576;

/** What went wrong in the database, in a sentence where the reason was a full disk: PostgreSQL may just die of it. */
const orFullDisk = <A, E, R>(folder: string, effect: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(effect, (defect) =>
    Effect.flatMap(
      Effect.promise(() => statfs(folder).catch(() => null)),
      (disk) =>
        disk !== null && disk.bavail * disk.bsize < leastFree
          ? Effect.fail(refused(`There is no space left on the disk of ${folder}. Nothing was restored.`))
          : Effect.die(defect),
    ),
  );

/** A data directory in which nothing is: missing or empty. */
const checkEmpty = Effect.fnUntraced(function* (dataDir: string) {
  const names = yield* Effect.tryPromise({
    try: () => readdir(dataDir),
    catch: (error) => error,
  }).pipe(
    Effect.catchIf(
      (error) => error instanceof Error && "code" in error && error.code === "ENOENT",
      () => Effect.succeed([]),
    ),
    Effect.mapError((error) =>
      refused(
        `${dataDir} cannot be the data directory: ${diskTrouble(error, dataDir)}. Set WAYPOST_DATA_DIR to a new one.`,
      ),
    ),
  );
  if (names.length === 0) return;
  return yield* refused(
    `The data directory ${dataDir} is not empty, and a restore takes nothing away. ` +
      "Stop the Waypost that runs there and move the directory, or set WAYPOST_DATA_DIR to a new one.",
  );
});

/**
 * Restores a backup into a data directory that is missing or empty: everything or nothing. It is made beside it and renamed at the
 * end, so a restore that is stopped leaves no data directory. An older schema is brought up to date.
 */
export const restoreBackup = Effect.fnUntraced(function* (
  path: string,
  dataDir: string,
  progress: ProgressListener = () => undefined,
) {
  yield* checkEmpty(dataDir);
  const manifest = yield* onDisk(path, () => verify(path, progress));
  const all = yield* MigrationFiles;
  const first = yield* migrationsOf(manifest);
  const folder = `${dataDir}.restoring`;
  const make = onDisk(path, async () => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { mode: 0o700 });
  });
  const load = Effect.scoped(
    Effect.gen(function* () {
      yield* unpackRuntime(folder);
      const server = yield* EmbeddedPostgres.make({ directory: folder });
      const client = postgresLayer({
        _tag: "socket",
        path: server.socketPath,
        username: server.username,
        database: server.database,
      });
      yield* Effect.gen(function* () {
        yield* Effect.provideService(migrate, MigrationFiles, { load: Effect.succeed(first) });
        yield* unpack(path, folder, manifest, progress);
        yield* Effect.provideService(migrate, MigrationFiles, all);
      }).pipe(Effect.provide(client));
    }),
  ).pipe(Effect.mapError((error) => (error instanceof BackupRefused ? error : refused(error.message))));
  yield* Effect.onExit(
    Effect.andThen(
      Effect.andThen(make, orFullDisk(folder, load)),
      onDisk(path, async () => {
        await rm(join(folder, "run"), { recursive: true, force: true });
        await rename(folder, dataDir);
      }),
    ),
    (exit) =>
      exit._tag === "Success"
        ? Effect.void
        : Effect.promise(() => rm(folder, { recursive: true, force: true }).catch(() => undefined)),
  );
  return manifest;
});
