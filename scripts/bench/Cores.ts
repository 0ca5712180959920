/** Gives the parts of a benchmark cores of their own, where the machine has enough. */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { familyOf } from "./BenchChild.ts";

const command = "taskset";

/** The fewest cores on which load, program and PostgreSQL can have their own. */
const minCores = 3;

/** The processors that this process can run on. */
const processors = (): ReadonlyArray<string> => {
  const affinity = taskset("-cp", String(process.pid)).split(":").at(-1) ?? "";
  return affinity.split(",").flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split("-").map(Number);
    return Number.isNaN(first)
      ? []
      : Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  });
};

/** Reads and sets the processors of a process (util-linux). */
const taskset = (...argumentList: ReadonlyArray<string>): string => {
  const { stdout } = spawnSync(command, argumentList, { encoding: "utf8" });
  return stdout ?? "";
};

const pin = (pid: number, cores: ReadonlyArray<string>): void => {
  taskset("-acp", cores.join(","), String(pid));
};

/**
 * Pins the load, which is this process, to a core, the programs, which take turns, to another one, and
 * PostgreSQL to the others. It does nothing on a machine of two cores. Gives what the machine has as a
 * sentence.
 */
export const pinned = (programs: ReadonlyArray<number>): string => {
  const cores = processors();
  const [load, program, ...database] = cores;
  if (load === undefined || program === undefined || cores.length < minCores)
    return `${availableParallelism()} cores, shared by load, program and PostgreSQL: compare CPU, not rates`;
  const servers = familyOf(process.pid).filter((pid) => pid !== process.pid && !programs.includes(pid));
  pin(process.pid, [load]);
  for (const pid of programs) pin(pid, [program]);
  for (const pid of servers) pin(pid, database);
  return `${cores.length} cores: one for the load, one for the program, ${database.length} for PostgreSQL`;
};
