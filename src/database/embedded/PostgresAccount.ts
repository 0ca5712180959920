/** The account of the embedded PostgreSQL, which refuses to run as root. */
import { Data, Effect } from "effect";
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The embedded database cannot run here. */
export class EmbeddedPostgresUnusable extends Data.TaggedError("EmbeddedPostgresUnusable")<{
  readonly message: string;
}> {
  /** `problem` says why it cannot run and what to do. */
  static of(problem: string): EmbeddedPostgresUnusable {
    return new EmbeddedPostgresUnusable({ message: `The embedded PostgreSQL cannot run: ${problem}` });
  }
}

/** The account of the server. */
export interface PostgresAccount {
  readonly name: string;
  /** The ids to drop root for; undefined if Waypost itself is an ordinary user. */
  readonly drop: { readonly uid: number; readonly gid: number } | undefined;
}

/** Unprivileged accounts of Unix systems, in order of preference. */
const candidates = ["nobody", "postgres", "daemon"];

/**
 * The account for the database in a data directory. If Waypost runs as root: the owner of the existing
 * database files, else `nobody`. Otherwise Waypost's own account.
 */
export const postgresAccount = Effect.fnUntraced(function* (dataDir: string) {
  const uid = process.geteuid?.();
  if (uid === undefined) {
    return yield* EmbeddedPostgresUnusable.of("this platform is not supported. Set DATABASE_URL.");
  }
  const owner = yield* Effect.promise(() => stat(join(dataDir, "postgres")).catch(() => undefined));
  if (uid !== 0) {
    if (owner !== undefined && owner.uid !== uid) {
      return yield* EmbeddedPostgresUnusable.of(
        `its files in ${dataDir} belong to account ${owner.uid}, and Waypost runs as account ${uid}. ` +
          "Start Waypost as before, or give the whole data directory to this account (chown -R).",
      );
    }
    return { name: `account ${uid}`, drop: undefined };
  }
  if (owner !== undefined && owner.uid !== 0) {
    return { name: `account ${owner.uid}`, drop: { uid: owner.uid, gid: owner.gid } };
  }
  const accounts = yield* Effect.promise(() => readFile("/etc/passwd", "utf8").catch(() => ""));
  for (const name of candidates) {
    const line = accounts.split("\n").find((entry) => entry.startsWith(`${name}:`));
    const [, , uidText, gidText] = line?.split(":") ?? [];
    // macOS writes the id of nobody as a negative number, which means its unsigned 32 bits.
    const ids = { uid: Number(uidText) >>> 0, gid: Number(gidText) >>> 0 };
    if (line !== undefined && ids.uid !== 0) return { name: `account ${name}`, drop: ids };
  }
  return yield* EmbeddedPostgresUnusable.of(
    "Waypost runs as root, PostgreSQL must not, and there is no account nobody to run it under. " +
      "Start Waypost as an ordinary user, or set DATABASE_URL.",
  );
});

/**
 * Runs a short program as the account, with a fixed environment and `input` as its standard input. The exit
 * code is -1 if the program cannot be started.
 */
export const runAs = (
  account: PostgresAccount,
  program: string,
  parameters: ReadonlyArray<string>,
  input = "",
): Effect.Effect<{ readonly code: number; readonly output: string }> =>
  Effect.callback((resume) => {
    const options = { ...account.drop, cwd: "/", env: childEnvironment };
    const child = execFile(program, parameters, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resume(Effect.succeed({ code, output: (stdout + stderr).trim() || (error?.message ?? "") }));
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    return Effect.sync(() => child.kill("SIGKILL"));
  });

/** The environment of the database. Waypost's own may hold keys. */
export const childEnvironment: NodeJS.ProcessEnv = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/** The first folder in the path that is closed to other accounts, for error messages. */
export const closedFolder = async (path: string): Promise<string | undefined> => {
  const parents: Array<string> = [];
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
    parents.unshift(folder);
  for (const folder of parents) {
    const found = await stat(folder).catch(() => undefined);
    if (found !== undefined && (found.mode & 0o001) === 0) return folder;
  }
  return undefined;
};
