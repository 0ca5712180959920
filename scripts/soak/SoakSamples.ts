/** Measurements of the processes in a soak test, by Linux's /proc. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { familyOf, median } from "../bench/BenchChild.ts";
import type { Probed } from "../bench/LoopProbe.ts";

/** Memory in MiB, descriptors and connections. */
export interface Sample {
  /** Resident memory of Node. */
  readonly node: number;
  /** Proportional memory of all processes of PostgreSQL: a shared page counts once. */
  readonly postgres: number;
  /** The part of it that is not shared: shared buffers fill up to their setting. */
  readonly postgresOwn: number;
  readonly descriptors: number;
  readonly connections: number;
}

const kibibytes = (text: string, line: string): number =>
  Number(new RegExp(`^${line}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);

/** Reads a file of /proc; empty when the process has ended. */
const read = (pid: number, name: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
};

/** Measures the service with this process id now. */
export const sample = (pid: number): Sample => {
  const servers = familyOf(pid).filter((each) => read(each, "comm").startsWith("postgres"));
  const rollups = servers.map((each) => read(each, "smaps_rollup"));
  const sum = (line: string): number => rollups.reduce((all, each) => all + kibibytes(each, line), 0) / 1024;
  const postgres = sum("Pss");
  return {
    node: kibibytes(read(pid, "status"), "VmRSS") / 1024,
    postgres,
    postgresOwn: postgres - sum("Pss_Shmem"),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    connections: servers.filter((each) => read(each, "cmdline").includes("[local]")).length,
  };
};

/** Reads the probe of the process: the figures since the last call. */
export const probed = async (pid: number, file: string): Promise<Probed> => {
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (let waited = 0; waited < 30_000; waited += 50) {
    await pause(50);
    try {
      return JSON.parse(readFileSync(file, "utf8")) as Probed;
    } catch {
      // Not written yet.
    }
  }
  throw new Error("The probe of the process has not answered within 30 s.");
};

/**
 * One sample of a minute's samples: of memory the least, because garbage that is not collected yet is no
 * growth; of the others the median.
 */
export const minuteOf = (samples: ReadonlyArray<Sample>): Sample => {
  const values = (key: keyof Sample): ReadonlyArray<number> => samples.map((each) => each[key]);
  return {
    node: Math.min(...values("node")),
    postgres: Math.min(...values("postgres")),
    postgresOwn: Math.min(...values("postgresOwn")),
    descriptors: median(values("descriptors")),
    connections: median(values("connections")),
  };
};

/** A line through values that are one minute apart, by least squares. */
export interface Trend {
  /** The change in a minute. */
  readonly slope: number;
  /** The standard error of the slope. */
  readonly error: number;
}

/** The trend of values that are one minute apart; no slope for fewer than three. */
export const trendOf = (values: ReadonlyArray<number>): Trend => {
  const count = values.length;
  if (count < 3) return { slope: 0, error: Number.NaN };
  const middle = (count - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, _, minute) => sum + (minute - middle) ** 2, 0);
  const slope = values.reduce((sum, value, minute) => sum + (minute - middle) * (value - mean), 0) / squares;
  const rest = values.reduce(
    (sum, value, minute) => sum + (value - mean - slope * (minute - middle)) ** 2,
    0,
  );
  return { slope, error: Math.sqrt(rest / (count - 2) / squares) };
};
