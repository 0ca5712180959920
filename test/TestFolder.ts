import { existsSync, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";
const gibibyte = 2 ** 30;

/** Whether the folder in memory has room for a run, and can contain programs, as a data directory does. */
const isUsable = (): boolean => {
  if (!existsSync(memory) || process.availableMemory() < 8 * gibibyte) return false;
  if (/ \/dev\/shm \S+ \S*noexec/.test(readFileSync("/proc/mounts", "utf8"))) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= 4 * gibibyte;
};

/**
 * The parent of folders with databases: in memory if possible, or else on disk. A database has over 600
 * files. On ext4 it takes long to create as many right after others were removed, which every test file does.
 */
export const databaseParent: string = isUsable() ? memory : tmpdir();
