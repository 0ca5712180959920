/** Measurements of the processes in a soak test, by Linux's /proc. */
import { readdirSync, readFileSync } from "node:fs";
import { familyOf, mebibytesOf } from "../bench/BenchChild.ts";
import { median } from "../bench/Rounds.ts";

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

/** Measures the service with this process id now. */
export const sample = (pid: number): Sample => {
  const read = (each: number, name: string): string => {
    try {
      return readFileSync(`/proc/${each}/${name}`, "utf8");
    } catch {
      return "";
    }
  };
  const servers = familyOf(pid).filter((each) => read(each, "comm").startsWith("postgres"));
  const sum = (line: string): number =>
    servers.reduce((all, each) => all + mebibytesOf(each, line, "smaps_rollup"), 0);
  const postgres = sum("Pss");
  return {
    node: mebibytesOf(pid, "VmRSS"),
    postgres,
    postgresOwn: postgres - sum("Pss_Shmem"),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    connections: servers.filter((each) => read(each, "cmdline").includes("[local]")).length,
  };
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
