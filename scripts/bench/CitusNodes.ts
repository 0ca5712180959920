/** The servers of a cluster on this machine: their CPU time, and cgroups that hold them to part of a core. */
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onNode } from "../../test/database/CitusCluster.ts";
import { cpuOf, cpuOfServer, familyOf } from "./BenchChild.ts";

/** A server. `pid` is its postmaster. */
export interface ClusterNode {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
}

/** The servers on these ports, the coordinator first. */
export const nodesOf = (ports: ReadonlyArray<number>) =>
  Effect.forEach(ports, (port, index) =>
    Effect.provide(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const [row] = yield* sql<{ readonly path: string }>`
          SELECT current_setting('data_directory') AS path`;
        const pid = Number(readFileSync(join(row?.path ?? "", "postmaster.pid"), "utf8").split("\n")[0]);
        return { name: index === 0 ? "coordinator" : `worker ${index}`, port, pid } satisfies ClusterNode;
      }),
      onNode(port, "postgres", 1),
    ),
  );

const controllers = "/sys/fs/cgroup/cpu";
/** Microseconds. Short, so that a server waits for its next share only briefly. */
const period = 20_000;

const move = (pids: ReadonlyArray<number>, group: string): void => {
  for (const pid of pids) {
    try {
      writeFileSync(join(group, "cgroup.procs"), String(pid));
    } catch {
      // The process has ended.
    }
  }
};

/** Removes a group. Processes may start in it while the others are moved out. */
const leave = (group: string): void => {
  for (let attempts = 0; attempts < 100; attempts++) {
    const pids = readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
    move(pids, controllers);
    try {
      rmdirSync(group);
      return;
    } catch {
      // A process that has just ended still counts for a moment.
    }
  }
};

/**
 * Holds each server to so many cores by a cgroup (version 1) of its own, until the scope closes. Needs root;
 * 0 cores are no limit. Processes that a server starts later are in the group of its postmaster.
 */
export const holdToCores = (nodes: ReadonlyArray<ClusterNode>, cores: number) =>
  Effect.forEach(
    cores > 0 ? nodes : [],
    ({ pid, port }) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          if (!existsSync(join(controllers, "cpu.cfs_quota_us")))
            throw new Error(`BENCH_NODE_CORES needs ${controllers}, the controller of cgroup version 1.`);
          const group = join(controllers, `waypost-bench-${port}`);
          mkdirSync(group, { recursive: true });
          writeFileSync(join(group, "cpu.cfs_period_us"), String(period));
          writeFileSync(join(group, "cpu.cfs_quota_us"), String(Math.round(period * cores)));
          move(familyOf(pid), group);
          return group;
        }),
        (group) => Effect.sync(() => leave(group)),
      ),
    { discard: true },
  );

/** Seconds of CPU of each server, of Waypost and of the load, which is this process. */
export const cpuSeconds = (nodes: ReadonlyArray<ClusterNode>, waypost: number): ReadonlyArray<number> => [
  ...nodes.map(({ pid }) => cpuOfServer(pid)),
  familyOf(waypost).reduce((sum, pid) => sum + cpuOf(pid), 0),
  cpuOf(process.pid),
];
