/**
 * The media worker: a child process that decodes untrusted files, one at a time. It gets no keys, settings,
 * database or files of the main process, and gives up root. Its watchdog ends it when a job uses too much CPU
 * time or memory; the main process kills it when a job takes too long otherwise.
 */
import { writeFile } from "node:fs/promises";
import { errorCode, messageOf } from "../../database/DurableFiles.ts";
import type { MediaJobMessage, MediaResult, MediaWorkerMessage } from "./MediaJob.ts";
import { startWatchdog } from "./MediaWatchdog.ts";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const send = (message: MediaWorkerMessage): void => void process.send?.(message);

/** The next `length` bytes of standard input, which holds one file at a time. */
const readInput = (length: number): Promise<Buffer> =>
  new Promise((resolve) => {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    const take = (chunk: Buffer): void => {
      filled += chunk.copy(bytes, filled);
      if (filled === length) done();
    };
    const done = (): void => {
      process.stdin.off("data", take).pause();
      resolve(bytes);
    };
    if (length === 0) done();
    else process.stdin.on("data", take).resume();
  });

const run = async ({ bytes: length, task }: MediaJobMessage): Promise<MediaResult> => {
  const { ImagesUnusable, inspectMedia, thumbnailOf } = await import("../formats/MediaInspection.ts");
  const { MediaDamage } = await import("../formats/MediaDamage.ts");
  try {
    const bytes = await readInput(length);
    return task === "inspect"
      ? { _tag: "content", content: await inspectMedia(bytes) }
      : { _tag: "thumbnail", picture: await thumbnailOf(bytes) };
  } catch (error) {
    if (error instanceof MediaDamage) return { _tag: "refused", message: error.message };
    const problem = messageOf(error);
    // An accepted file that cannot be drawn is at fault itself, unless the image library is missing.
    return task === "thumbnail" && !(error instanceof ImagesUnusable)
      ? { _tag: "refused", message: problem }
      : { _tag: "unable", problem };
  }
};

/** An unprivileged account that owns nothing and that systems do not assign. */
const workerAccount = 65_533;

/**
 * Gives up root for good, after all code is loaded: the account may not be able to read it. A container may
 * forbid the change or lack the account; root in it is confined to the container anyway.
 */
const giveUpRoot = (): void => {
  try {
    process.setgroups?.([workerAccount]);
    process.setgid?.(workerAccount);
    process.setuid?.(workerAccount);
  } catch (error) {
    if (errorCode(error) !== "EPERM" && errorCode(error) !== "EINVAL") throw error;
  }
};

/** A worker that holds so much more than at its start is replaced. */
const wornBytes = 30_000_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const start = async (): Promise<void> => {
  process.on("disconnect", () => process.exit());
  // Linux kills this process first when the machine runs out of memory.
  await writeFile("/proc/self/oom_score_adj", "1000").catch(() => undefined);
  // Loading code does not count as CPU time of a job.
  await Promise.allSettled([import("../formats/MediaInspection.ts"), import("../formats/Images.ts")]);
  const { endJob, startJob } = await startWatchdog();
  if (process.geteuid?.() === 0) giveUpRoot();
  const startBytes = process.memoryUsage.rss();
  const runAlone = async (job: MediaJobMessage): Promise<void> => {
    startJob();
    const result = await run(job);
    endJob();
    // The next job needs the memory of this one's file.
    collectGarbage();
    send({ ...result, isWorn: process.memoryUsage.rss() - startBytes > wornBytes });
  };
  process.on("message", (job: MediaJobMessage) => {
    void runAlone(job);
  });
  send({ _tag: "ready" });
};

void start();
