import { existsSync, readFileSync } from "node:fs";
import process from "node:process";

/** Seconds of CPU of the ended children of this process, which only Linux counts. */
const ofChildren = (): number => {
  if (!existsSync("/proc/self/stat")) return 0;
  // Behind the name in parentheses, the user and the system time of ended children in hundredths of a second.
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
};

/** Seconds of CPU that this process and its ended children have taken. */
export const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage();
  return (user + system) / 1e6 + ofChildren();
};
