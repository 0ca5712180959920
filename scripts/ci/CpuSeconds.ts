import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/** Seconds of CPU of a process and of its ended children, which only Linux counts. */
const countedBy = (pid: number): { readonly own: number; readonly ended: number } => {
  // Behind the name in parentheses, the user and the system time of both in hundredths of a second.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: (user + system) / 100, ended: (endedUser + endedSystem) / 100 };
};

const isCounted = existsSync(`/proc/${process.pid}/stat`);

/** Seconds of CPU that this process and its ended children have taken. */
export const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage();
  return (user + system) / 1e6 + (isCounted ? countedBy(process.pid).ended : 0);
};

/** Seconds of CPU of the processes below one that run, with those of their ended children. */
export const runningCpuSeconds = (pid = process.pid): number => {
  if (!isCounted) return 0;
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").match(/\d+/g) ?? [])
      .map(Number)
      .map((child) => countedBy(child).own + countedBy(child).ended + runningCpuSeconds(child))
      .reduce((sum, each) => sum + each, 0);
  } catch {
    // A process ended meanwhile, or the kernel lists no children.
    return 0;
  }
};
