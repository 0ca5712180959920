/** A Waypost in a root of its own: without privileges, read-only but its data, and only loopback. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { vi } from "vitest";

const firstMessageProgram = join(import.meta.dirname, "../../scripts/release/firstMessage.ts");

/** The tools that `Container` needs. */
export const containerTools = ["unshare", "nsenter", "chroot", "ip"];

/** The parameters of a container. */
export interface ContainerPlan {
  readonly root: string;
  /** The folder of this machine that is the only writable one, and its path in the root. */
  readonly data: string;
  readonly dataPath: string;
  readonly account: string;
  readonly program: string;
  /** Settings as `NAME=value`. */
  readonly settings: ReadonlyArray<string>;
}

/** Mounts, network and root of a command. Parameters: root, data, their path, account, command. */
const inRoot = [
  "set -e",
  "mount --make-rprivate /",
  'mount --bind "$1" "$1"',
  'mount -o remount,bind,ro "$1"',
  'mount --bind "$2" "$1$3"',
  'mount -o remount,bind,rw "$1$3"',
  'mount --rbind /proc "$1/proc"',
  'mount --rbind /dev "$1/dev"',
  "ip link set lo up",
  'root="$1" account="$4"',
  "shift 4",
  'exec chroot --userspec="$account" "$root" "$@"',
].join("; ");

/** One line, as the single-user server reads it. */
const catalogQuery =
  "SELECT relname || ' ' || (xpath('/row/c/text()', query_to_xml(format('SELECT count(*) AS c FROM " +
  "pg_catalog.%I', relname), false, true, '')))[1]::text AS line FROM pg_class WHERE relnamespace = 11 AND " +
  "relkind = 'r' AND relname NOT IN ('pg_collation', 'pg_depend', 'pg_description', 'pg_statistic') " +
  'ORDER BY relname COLLATE "C"\n';

/** Runs the program of a root. */
export class Container {
  readonly #plan: ContainerPlan;
  #output = "";
  #child: ChildProcess | undefined;

  constructor(plan: ContainerPlan) {
    this.#plan = plan;
  }

  /** Starts `serve` and waits until it listens. Returns the milliseconds that it took. */
  readonly start = async (): Promise<number> => {
    const { account, data, dataPath, program, root, settings } = this.#plan;
    const began = performance.now();
    const line = [root, data, dataPath, account, program, "serve"];
    const child = spawn("unshare", ["--mount", "--net", "sh", "-c", inRoot, "sh", ...line], {
      // The path of the root would hide the programs that change it.
      env: { ...Object.fromEntries(settings.map((each) => each.split("="))), PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    await vi.waitUntil(
      () => {
        if (child.exitCode !== null) throw new Error(`It exited with ${child.exitCode}:\n${this.#output}`);
        return this.#output.includes("listening on");
      },
      { timeout: 250_000, interval: 20 },
    );
    return performance.now() - began;
  };

  /** Runs a program of this machine in the network of the container. */
  readonly #inNetwork = async (...line: ReadonlyArray<string>): Promise<string> => {
    const network = `--net=/proc/${this.#child?.pid}/ns/net`;
    return (await promisify(execFile)("nsenter", [network, ...line])).stdout.trim();
  };

  /** Delivers a first message and returns its headline, or with `--names` the names of the workspaces. */
  readonly message = (...mode: ReadonlyArray<string>): Promise<string> =>
    this.#inNetwork(
      process.execPath,
      firstMessageProgram,
      "http://127.0.0.1:8080",
      join(this.#plan.data, "operator.key"),
      ...mode,
    );

  /** Runs the root's program with another parameter in the same network. Rejects if it fails. */
  readonly run = (parameter: string): Promise<string> => {
    const { account, program, root } = this.#plan;
    return this.#inNetwork("chroot", `--userspec=${account}`, root, program, parameter);
  };

  /**
   * The names and numbers of rows of the system's tables in the stopped database, except for those with
   * locales of the system.
   */
  readonly catalog = async (): Promise<string> => {
    const { account, data, dataPath, root } = this.#plan;
    const [runtime = ""] = globSync("runtime/*", { cwd: data });
    const line = [
      join(dataPath, runtime, "postgres/bin/postgres"),
      "--single",
      "-D",
      join(dataPath, "postgres"),
    ];
    const names = ["--mount", "--net", "sh", "-c", inRoot, "sh", root, data, dataPath, account];
    const running = promisify(execFile)("unshare", [
      ...names,
      ...line,
      "-c",
      "log_min_messages=fatal",
      "postgres",
    ]);
    running.child.stdin?.end(catalogQuery);
    const { stdout } = await running;
    return [...stdout.matchAll(/= "(.+?)"/g)].map(([, value]) => value).join("\n");
  };

  /** Stops it by SIGTERM and returns its exit code. */
  readonly stop = async (): Promise<number | null> => {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null;
    const ended = once(child, "close");
    child.kill("SIGTERM");
    await ended;
    return child.exitCode;
  };
}
