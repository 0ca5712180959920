/**
 * The work of `initdb` for a root without a shell, where it cannot start its servers: the files that it
 * writes and the statements that it sends, recorded in the build.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import type { InitdbRecording } from "./withoutShell.ts";

/** The options of `initialise` in `src/database/embedded/PostgresFiles.ts`. */
const options = ["--username=waypost", "--encoding=UTF8", "--locale=C", "--auth=trust", "--no-instructions"];

/** Without a shell, the server cannot list the locales of the system. The schema needs one collation. */
const systemCollations = "SELECT pg_import_system_collations('pg_catalog');";
const rootCollation = `CREATE COLLATION pg_catalog."und-x-icu" (provider = icu, locale = 'und');`;

/** A server that records what it gets. */
const recorder = `#!/bin/sh
case "$1" in
-V) exec "$0.program" -V ;;
--boot | --single) printf '%s\\n' "$@" > "$RECORDS/$1.parameters" && cat > "$RECORDS/$1.input" ;;
esac
`;

interface Link {
  readonly source: string;
  readonly target: string;
}

/** Runs `initdb` of a package for this machine with a recorder instead of the server. */
export const recordInitdb = (postgres: string): InitdbRecording => {
  const home = mkdtempSync(join(tmpdir(), "waypost-initdb-"));
  try {
    const native = join(postgres, "native");
    for (const name of ["bin", "lib", "share"])
      cpSync(join(native, name), join(home, name), {
        recursive: true,
        filter: (path) => !path.endsWith(".a"),
        verbatimSymlinks: true,
      });
    const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as ReadonlyArray<Link>;
    for (const { source, target } of links) {
      rmSync(join(home, target.slice("native/".length)), { force: true });
      symlinkSync(basename(source), join(home, target.slice("native/".length)));
    }
    cpSync(join(home, "bin/postgres"), join(home, "bin/postgres.program"));
    rmSync(join(home, "bin/postgres"));
    writeFileSync(join(home, "bin/postgres"), recorder);
    for (const name of globSync("bin/*", { cwd: home })) chmodSync(join(home, name), 0o755);
    const records = join(home, "records");
    const data = join(home, "data");
    mkdirSync(records);
    // It refuses to run as root.
    const account = process.geteuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    chmodSync(home, 0o777);
    chmodSync(records, 0o777);
    execFileSync(join(home, "bin/initdb"), [`--pgdata=${data}`, ...options], {
      ...account,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", RECORDS: records },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const step = (name: string) => ({
      parameters: readFileSync(join(records, `--${name}.parameters`), "utf8")
        .trimEnd()
        .split("\n"),
      input: readFileSync(join(records, `--${name}.input`), "utf8").replaceAll(
        join(home, "share"),
        "@share@",
      ),
    });
    const [boot, single] = [step("boot"), step("single")];
    if (!single.input.includes(systemCollations)) throw new Error("initdb asks for no locales any more.");
    const paths = globSync("**/*", { cwd: data }).toSorted();
    const isFolder = (path: string) => statSync(join(data, path)).isDirectory();
    const files = paths.filter((path) => !isFolder(path));
    return {
      options,
      folders: paths.filter(isFolder),
      files: files.map((path) => [path, readFileSync(join(data, path), "utf8")]),
      steps: [boot, { ...single, input: single.input.replace(systemCollations, rootCollation) }],
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};
