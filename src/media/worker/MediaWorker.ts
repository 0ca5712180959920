/**
 * The child process that looks into the files of strangers, one at a time. It has nothing of the main one's: no environment,
 * no database, no keys, no files, and no root. The main process kills it when it takes too long, and it ends itself when it takes too
 * much memory.
 */
import { writeFile } from "node:fs/promises";
import { type MediaAnswer, type MediaOrder, outOfMemory } from "./MediaJob.ts";

/** Enough for the largest picture that is accepted, at eight bytes a pixel. */
const mostMemory = 1_200_000_000;
const lookMillis = 50;

const say = (answer: MediaAnswer): void => void process.send?.(answer);

/** The next so many bytes of standard input; they come only with an order, so none of another file are among them. */
const received = (length: number): Promise<Buffer> =>
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

const work = async ({ bytes: length, task }: MediaOrder): Promise<MediaAnswer> => {
  const { ImagesUnusable, inspectMedia, thumbnailOf } = await import("../formats/MediaInspection.ts");
  const { MediaDamage } = await import("../formats/MediaDamage.ts");
  try {
    const bytes = await received(length);
    return task === "inspect"
      ? { is: "content", content: await inspectMedia(bytes) }
      : { is: "thumbnail", picture: await thumbnailOf(bytes) };
  } catch (error) {
    if (error instanceof MediaDamage) return { is: "refused", message: error.message };
    const problem = error instanceof Error ? error.message : String(error);
    // A file that was accepted and now fails says something about the file, unless the library is not there at all.
    if (task === "thumbnail" && !(error instanceof ImagesUnusable))
      return { is: "refused", message: problem };
    return { is: "unable", problem };
  }
};

/** An account that owns nothing and runs nothing else: systems begin to number at the other end. */
const nobodyElse = 65_533;

/**
 * Gives up root for good. All code is loaded before, for the account may not be let in where it lies. A container may have taken the right to
 * change the account, or have no such account: there, root is only its own.
 */
const giveUpRoot = async (): Promise<void> => {
  await Promise.allSettled([import("../formats/MediaInspection.ts"), import("../formats/Images.ts")]);
  try {
    process.setgroups?.([nobodyElse]);
    process.setgid?.(nobodyElse);
    process.setuid?.(nobodyElse);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EPERM" && code !== "EINVAL") throw error;
  }
};

const start = async (): Promise<void> => {
  // Where memory runs out all the same, this process is the one to go.
  await writeFile("/proc/self/oom_score_adj", "1000").catch(() => undefined);
  setInterval(() => {
    if (process.memoryUsage.rss() > mostMemory) process.exit(outOfMemory);
  }, lookMillis);
  process.on("disconnect", () => process.exit());
  if (process.geteuid?.() === 0) await giveUpRoot();
  process.on("message", (order: MediaOrder) => void work(order).then(say));
  say({ is: "ready" });
};

void start();
