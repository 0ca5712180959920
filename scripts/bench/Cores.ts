/** Cores of their own for the programs of a benchmark, on machines that have enough of them. */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { familyOf } from "./BenchChild.ts";

/** Cores as `taskset -c` takes them. */
export interface CorePlan {
  readonly postgres: string;
  readonly load: string;
  readonly waypost: string;
  readonly waypostCores: number;
}

const range = (from: number, to: number): string => (from === to ? `${from}` : `${from}-${to}`);

/**
 * A third of the cores for PostgreSQL, a sixth for the load, the rest for Waypost. Null on a machine of less
 * than six cores, or without `taskset`: there the programs share all cores.
 */
export const corePlan = (cores = availableParallelism()): CorePlan | null => {
  if (cores < 6 || spawnSync("taskset", ["-V"]).status !== 0) return null;
  const postgres = Math.floor(cores / 3);
  const load = Math.max(1, Math.floor(cores / 6));
  return {
    postgres: range(0, postgres - 1),
    load: range(postgres, postgres + load - 1),
    waypost: range(postgres + load, cores - 1),
    waypostCores: cores - postgres - load,
  };
};

/** Moves processes with all their threads to these cores. */
export const pin = (pids: ReadonlyArray<number>, cores: string): void => {
  for (const pid of pids) spawnSync("taskset", ["-a", "-p", "-c", cores, String(pid)]);
};

/** Gives each program its cores; `waypost` is the id of its first process. */
export const pinAll = ({ load, postgres, waypost: cores }: CorePlan, waypost: number): void => {
  const own = familyOf(waypost);
  pin(
    familyOf(process.pid).filter((pid) => pid !== process.pid && !own.includes(pid)),
    postgres,
  );
  pin(own, cores);
  pin([process.pid], load);
};

/**
 * Pins the load, which is this process, to one core, programs that take turns to another one, and PostgreSQL
 * to the rest, on a machine of at least three cores. Gives what the machine has as a sentence.
 */
export const pinApart = (programs: ReadonlyArray<number>, cores = availableParallelism()): string => {
  if (cores < 3 || spawnSync("taskset", ["-V"]).status !== 0)
    return `${cores} cores, shared by load, program and PostgreSQL: compare CPU, not rates`;
  const own = [process.pid, ...programs];
  const servers = familyOf(process.pid).filter((pid) => !own.includes(pid));
  pin([process.pid], "0");
  pin(programs, "1");
  pin(servers, range(2, cores - 1));
  return `${cores} cores: one for the load, one for the program, ${cores - 2} for PostgreSQL`;
};
