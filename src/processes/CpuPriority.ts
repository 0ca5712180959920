import { getPriority, setPriority } from "node:os";

/** Lets a process of this machine wait for others that need the CPU: it gets a tenth of a busy core. */
export const yieldCpu = (processId: number): void => {
  try {
    setPriority(processId, Math.min(19, getPriority(process.pid) + 10));
  } catch {
    // It has ended, or the system does not allow it: it has the share of all others.
  }
};

/** The same for the thread that calls it. Only Linux has a priority for each thread. */
export const yieldCpuOfThread = (): void => {
  if (process.platform === "linux") yieldCpu(0);
};
