/**
 * Runs `initdb` in a root without a shell, such as the image's: writes the recorded files and sends the
 * recorded statements to the server. With a shell, the program `initdb` itself runs.
 */
import child, { type ChildProcess } from "node:child_process";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { getRawAsset } from "node:sea";
import { zstdDecompressSync } from "node:zlib";

/** A run of a server: its parameters and standard input, with `@share@` for the folder of its files. */
interface Step {
  readonly parameters: ReadonlyArray<string>;
  readonly input: string;
}

/** The work of `initdb` for some options. Folders stand before the files in them. */
export interface InitdbRecording {
  readonly options: ReadonlyArray<string>;
  readonly folders: ReadonlyArray<string>;
  readonly files: ReadonlyArray<readonly [path: string, text: string]>;
  readonly steps: ReadonlyArray<Step>;
}

/** The name of the recording's asset, compressed JSON. */
export const initdbAsset = "initdb.zst";

/** The internal first argument of a process that does the work of `initdb`. */
export const initdbArgument = "initdb-without-shell";

/** Lets the program start itself where it would start `initdb`, if there is no shell. */
export const redirectInitdb = (): void => {
  if (existsSync("/bin/sh")) return;
  const { execFile } = child;
  const redirected = (file: string, parameters: ReadonlyArray<string>, ...rest: ReadonlyArray<unknown>) =>
    Reflect.apply(
      execFile,
      undefined,
      file.endsWith("/bin/initdb")
        ? [process.execPath, [initdbArgument, file, ...parameters], ...rest]
        : [file, parameters, ...rest],
    ) as ChildProcess;
  child.execFile = redirected as unknown as typeof execFile;
  syncBuiltinESMExports();
};

const canWrite = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const syncTree = (folder: string): void => {
  const sync = (path: string) => {
    const descriptor = openSync(path, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
  };
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) sync(join(folder, entry));
  sync(folder);
};

/** Does the work of `initdb`. Returns the exit code; errors go to stderr. */
export const initdb = (
  recording: InitdbRecording,
  program: string,
  parameters: ReadonlyArray<string>,
): number => {
  const given = parameters.filter((each) => each !== "--no-sync" && !each.startsWith("--pgdata="));
  const folder = parameters.find((each) => each.startsWith("--pgdata="))?.slice("--pgdata=".length);
  if (folder === undefined || given.join(" ") !== recording.options.join(" ")) {
    process.stderr.write(
      `Without a shell, initdb knows only these options: ${recording.options.join(" ")}\n`,
    );
    return 1;
  }
  process.umask(0o077);
  for (const path of recording.folders) mkdirSync(join(folder, path), { recursive: true });
  for (const [path, text] of recording.files)
    writeFileSync(
      join(folder, path),
      // As initdb: shared memory of System V where there is no /dev/shm.
      canWrite("/dev/shm") ? text : text.replace(/^(dynamic_shared_memory_type = )\w+/m, "$1sysv"),
    );
  const programs = dirname(program);
  for (const { input, parameters: own } of recording.steps) {
    const { error, status, stderr } = child.spawnSync(join(programs, "postgres"), own, {
      cwd: "/",
      env: { ...process.env, PGDATA: folder },
      input: input.replaceAll("@share@", join(dirname(programs), "share").replaceAll(/['\\]/g, "$&$&")),
      stdio: ["pipe", "ignore", "pipe"],
    });
    if (status === 0) continue;
    process.stderr.write(`${stderr.toString()}${error?.message ?? ""}\n`);
    return 1;
  }
  if (!parameters.includes("--no-sync")) syncTree(folder);
  return 0;
};

/** The recording of the executable. */
export const recordedInitdb = (): InitdbRecording =>
  JSON.parse(zstdDecompressSync(new Uint8Array(getRawAsset(initdbAsset))).toString()) as InitdbRecording;
