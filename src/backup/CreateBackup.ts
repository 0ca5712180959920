import { Clock, Effect } from "effect";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { open } from "node:fs/promises";
import manifest from "../../package.json" with { type: "json" };
import { backupSql } from "./BackupSql.ts";
import { BackupRefused } from "./BackupRefused.ts";
import { diskTrouble } from "./DiskFailure.ts";
import type { ProgressListener } from "./ProgressListener.ts";
import { type BackupManifest, keyFiles, manifestName, pageRows } from "./BackupManifest.ts";
import { writeTar } from "./TarFile.ts";

const onDisk = <A>(work: () => Promise<A>): Effect.Effect<A, BackupRefused> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      new BackupRefused({
        message: `The backup could not be written, and nothing is left of it: ${diskTrouble(error)}.`,
      }),
  });

/** The media files of the folder, below it; nothing of what is still arriving. */
const mediaIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const folders = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: Array<string> = [];
  for (const each of folders.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))) {
    for (const name of await readdir(join(folder, each.name))) found.push(`${each.name}/${name}`);
  }
  return found;
};

/**
 * Copies rows, media files and keys into one file, all of one moment, while the server goes on.
 *
 * Media files are never changed in place. Those that are there are copied first and may take long; then the rows are read in one
 * snapshot, which names the files that belong to them; what came in between is copied at once. So a file is missing only when it came after the
 * first copy and was deleted within the second around the snapshot: then it is named.
 */
export const makeBackup = Effect.fnUntraced(function* (options: {
  readonly dataDir: string;
  readonly path: string;
  /** Where the media are that are not on this disk; null for `media/` of the data directory. */
  readonly bucket: string | null;
  readonly progress?: ProgressListener;
}) {
  const { bucket, dataDir, path, progress = () => undefined } = options;
  const sql = yield* backupSql;
  const now = yield* Clock.currentTimeMillis;
  const there = yield* onDisk(() => stat(path).catch(() => null));
  if (there !== null) {
    return yield* new BackupRefused({
      message: there.isDirectory()
        ? `${path} is a folder: name a new file in it, such as ${join(path, "waypost.tar.gz")}.`
        : `${path} is there already: give a new name, or move it away.`,
    });
  }
  const temporary = `${path}.part`;
  yield* onDisk(() => rm(temporary, { force: true }));
  const tar = writeTar(temporary, Math.floor(now / 1000));
  const mediaFolder = join(dataDir, "media");
  const copied = new Set<string>();
  const copyMedia = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
    for (const [at, file] of files.entries()) {
      progress("media files", at, files.length);
      if (copied.has(file)) continue;
      if (yield* onDisk(() => tar.addFile(`media/${file}`, join(mediaFolder, file)))) copied.add(file);
    }
  });

  const copyRows = Effect.gen(function* () {
    yield* sql.oneMoment;
    yield* sql.patient;
    const known = bucket === null ? yield* sql.media : [];
    const files = known.flatMap(({ has_thumbnail, key }) => {
      const place = `${key.slice(0, 2)}/${key}`;
      return has_thumbnail ? [place, `${place}.thumbnail`] : [place];
    });
    yield* copyMedia(files);
    const shapes = yield* sql.tables;
    const tables: Array<BackupManifest["tables"][number]> = [];
    const [about] = yield* sql.aboutRows;
    let copiedRows = 0;
    for (const { columns, name } of shapes) {
      yield* sql.open(name);
      let rows = 0;
      for (let page = 0; ; page++) {
        const lines = yield* sql.next(pageRows);
        if (lines.length === 0) break;
        const text = lines.map(({ line }) => `${JSON.stringify(line)}\n`).join("");
        yield* onDisk(() => tar.add(`rows/${name}/${String(page).padStart(8, "0")}`, Buffer.from(text)));
        rows += lines.length;
        copiedRows += lines.length;
        // How many there are is PostgreSQL's estimate: to count them would take as long as to copy them.
        progress("rows", copiedRows, Math.max(copiedRows, about?.rows ?? 0));
      }
      yield* sql.close;
      tables.push({ name, columns, rows });
    }
    const [server] = yield* sql.serverVersion;
    const made: BackupManifest = {
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
    };
    return made;
  });

  const write = Effect.gen(function* () {
    for (const name of keyFiles) yield* onDisk(() => tar.addFile(name, join(dataDir, name)));
    if (bucket === null) yield* copyMedia(yield* onDisk(() => mediaIn(mediaFolder)));
    const made = yield* sql.transaction(copyRows);
    yield* onDisk(async () => {
      await tar.add(manifestName, Buffer.from(JSON.stringify(made)));
      await tar.finish();
      await rename(temporary, path);
      const folder = await open(dirname(path), "r");
      await folder.sync();
      await folder.close();
    });
    return made;
  });
  return yield* Effect.onExit(write, (exit) =>
    exit._tag === "Success"
      ? Effect.void
      : Effect.promise(async () => {
          tar.abandon();
          await rm(temporary, { force: true });
        }),
  );
});
