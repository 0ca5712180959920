/** How many request processes a machine gets with `WAYPOST_PROCESSES=auto`. */
import { availableParallelism, totalmem } from "node:os";
import process from "node:process";

/** What a machine has for Waypost. */
export interface Machine {
  /** Cores that this process may use. */
  readonly cores: number;
  /** Memory that this process may use, in bytes. */
  readonly memoryBytes: number;
  /** Whether PostgreSQL runs on the same machine. */
  readonly hasDatabase: boolean;
}

/** On so many cores or fewer, PostgreSQL and one process use all of them. */
const maxCoresOfOne = 2;

/** Memory of the system, PostgreSQL and one request process. */
const baseBytes = 1024 ** 3;

/** Memory of each further request process under load, with its media workers. */
const processBytes = 1024 ** 3;

/** More than one database serves. */
const maxAuto = 16;

/**
 * The number of request processes for a machine. PostgreSQL needs as much time for a request as Waypost, so
 * beside a database it is half the cores. Otherwise one core is for the process of the jobs.
 */
export const autoProcesses = ({ cores, hasDatabase, memoryBytes }: Machine): number => {
  if (cores <= maxCoresOfOne) return 1;
  const byCores = hasDatabase ? Math.floor(cores / 2) : cores - 1;
  const byMemory = 1 + Math.floor((memoryBytes - baseBytes) / processBytes);
  return Math.max(1, Math.min(byCores, byMemory, maxAuto));
};

/** This machine, or the part of it that its container may use. */
export const thisMachine = (hasDatabase: boolean): Machine => {
  const limit = process.constrainedMemory();
  const total = totalmem();
  return {
    cores: availableParallelism(),
    memoryBytes: limit > 0 ? Math.min(limit, total) : total,
    hasDatabase,
  };
};
