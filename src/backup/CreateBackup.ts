import { Clock, Effect } from "effect";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncToDisk } from "../database/DurableFiles.ts";
import { type BackupManifest, keyFiles, manifestName } from "./BackupManifest.ts";
import { type BackupRefused, refused } from "./BackupRefused.ts";
import { backupSql, type ReferencedMedia, type TableShape } from "./BackupSql.ts";
import { diskProblem } from "./DiskProblem.ts";
import type { ProgressListener } from "./ProgressListener.ts";
import { writeTar } from "./TarFile.ts";

import manifest from "../../package.json" with { type: "json" };

/** The most rows in one file of the archive, and those of the first file of a table. */
const pageRows = 500;
const firstRows = 10;
/** The size of a file of the archive, in bytes, unless a row is larger. A rollup can have a megabyte. */
const pageBytes = 4 * 1_048_576;

const onDisk = <A>(work: () => Promise<A>): Effect.Effect<A, BackupRefused> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      refused(`The backup could not be written: ${diskProblem(error)}. The partial file was removed.`),
  });

/** Paths of the media files below the folder. Folders starting with a dot hold uploads in progress. */
const mediaIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const subfolders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  const paths = await Promise.all(
    subfolders.map(async ({ name }) => (await readdir(join(folder, name))).map((file) => `${name}/${file}`)),
  );
  return paths.flat();
};

/** Refuses a path that exists: a backup never overwrites a file. */
const checkPath = Effect.fnUntraced(function* (path: string) {
  const existing = yield* onDisk(() => stat(path).catch(() => null));
  if (existing === null) return;
  return yield* refused(
    existing.isDirectory()
      ? `${path} is a folder. Give the name of a new file in it, such as ${join(path, "waypost.tar.gz")}.`
      : `${path} already exists. Give another name, or move that file away.`,
  );
});

/**
 * Copies rows, media files and keys into one archive, as of one moment, while the server keeps running.
 * Returns the manifest.
 *
 * Media files never change in place. Existing files are copied first, which may take long. Then one snapshot
 * reads the rows, which name the files that they reference; files created in between are copied immediately.
 * A file is therefore missing only if it was created after the first copy and deleted within about a second
 * of the snapshot. The manifest lists such files.
 */
export const createBackup = Effect.fnUntraced(function* (options: {
  readonly dataDir: string;
  readonly path: string;
  /** The bucket that holds the media files; null if they are in `media/` of the data directory. */
  readonly bucket: string | null;
  readonly progress?: ProgressListener;
}) {
  const { bucket, dataDir, path, progress = () => undefined } = options;
  const sql = yield* backupSql;
  const now = yield* Clock.currentTimeMillis;
  yield* checkPath(path);
  const temporary = `${path}.part`;
  yield* onDisk(() => rm(temporary, { force: true }));
  const tar = writeTar(temporary, Math.floor(now / 1000));
  const mediaFolder = join(dataDir, "media");
  const copied = new Set<string>();
  const copyMedia = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
    for (const [index, file] of files.entries()) {
      progress("media files", index, files.length);
      if (copied.has(file)) continue;
      if (yield* onDisk(() => tar.addFile(`media/${file}`, join(mediaFolder, file)))) copied.add(file);
    }
  });

  const copyTables = Effect.gen(function* () {
    const tables: Array<BackupManifest["tables"][number]> = [];
    // An estimate: counting the rows would take as long as copying them.
    const [estimate] = yield* sql.estimatedRows;
    let copiedRows = 0;
    for (const { columns, name } of yield* sql.tables) {
      yield* sql.openCursor(name);
      let rows = 0;
      let limit = firstRows;
      let largest = 1;
      for (let page = 0; ; page++) {
        const lines = yield* sql.fetchRows(limit);
        if (lines.length === 0) break;
        const texts = lines.map(({ line }) => Buffer.from(`${JSON.stringify(line)}\n`));
        const content = Buffer.concat(texts);
        yield* onDisk(() => tar.add(`rows/${name}/${String(page).padStart(8, "0")}`, content));
        rows += lines.length;
        largest = texts.reduce((most, { length }) => Math.max(most, length), largest);
        limit = Math.max(1, Math.min(2 * limit, pageRows, Math.floor(pageBytes / largest)));
        copiedRows += lines.length;
        progress("rows", copiedRows, Math.max(copiedRows, estimate?.rows ?? 0));
      }
      yield* sql.closeCursor;
      tables.push({ name, columns, rows });
    }
    return tables;
  });

  const copySnapshot = Effect.fnUntraced(function* (known: ReadonlyArray<TableShape>) {
    yield* sql.useSnapshot;
    yield* sql.disableTimeouts;
    if (known.length > 0) yield* sql.lockTables(known.map((table) => table.name));
    const files: Array<string> = [];
    for (let after: string | undefined = bucket === null ? "" : undefined; after !== undefined;) {
      const referenced: ReadonlyArray<ReferencedMedia> = yield* sql.media(after);
      for (const { has_thumbnail, key } of referenced) {
        const file = `${key.slice(0, 2)}/${key}`;
        files.push(file);
        if (has_thumbnail) files.push(`${file}.thumbnail`);
      }
      after = referenced.at(-1)?.key;
    }
    yield* copyMedia(files);
    const tables = yield* copyTables;
    const [server] = yield* sql.serverVersion;
    return {
      format: 1,
      waypost: manifest.version,
      created_at: new Date(now).toISOString(),
      postgresql: server?.version ?? "",
      migrations: yield* sql.migrations,
      tables,
      sequences: yield* sql.sequences,
      media: {
        store: bucket ?? "disk",
        files: files.filter((file) => copied.has(file)),
        missing: files.filter((file) => !copied.has(file)),
      },
      files: tar.files(),
    } satisfies BackupManifest;
  });

  const write = Effect.gen(function* () {
    for (const name of keyFiles) yield* onDisk(() => tar.addFile(name, join(dataDir, name)));
    if (bucket === null) yield* copyMedia(yield* onDisk(() => mediaIn(mediaFolder)));
    // On several nodes no Waypost runs meanwhile, and so no migration.
    const isAlone = (yield* sql.snapshotObstacle) !== null;
    const known = isAlone ? [] : yield* sql.tables;
    const created: BackupManifest = yield* sql.transaction(copySnapshot(known));
    yield* onDisk(async () => {
      await tar.add(manifestName, Buffer.from(JSON.stringify(created)));
      await tar.finish();
      await rename(temporary, path);
      await syncToDisk(dirname(path));
    });
    return created;
  });
  return yield* Effect.onError(write, () =>
    Effect.promise(async () => {
      tar.abandon();
      if (await tar.isOwn()) await rm(temporary, { force: true });
    }),
  );
});
