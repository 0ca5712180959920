/**
 * The child process that looks into the files of strangers, one at a time. It has nothing of the main one's: no environment,
 * no database, no keys. The main process kills it when it takes too long, and it ends itself when it takes too much memory.
 */
import { readFile, stat, writeFile } from "node:fs/promises";
import { type MediaAnswer, type MediaJob, outOfMemory } from "./MediaJob.ts";

/** Enough for the largest picture that is accepted, at eight bytes a pixel. */
const mostMemory = 1_200_000_000;
/** More than any upload: a job for a larger file is a mistake of the main process. */
const mostBytes = 64 * 1024 * 1024;
const lookMillis = 50;

const say = (answer: MediaAnswer): void => void process.send?.(answer);

const work = async ({ path, task }: MediaJob): Promise<MediaAnswer> => {
  const { ImagesUnusable, inspectMedia, thumbnailOf } = await import("./MediaInspection.ts");
  const { MediaDamage } = await import("./MediaDamage.ts");
  try {
    if ((await stat(path)).size > mostBytes) throw new Error("The file is larger than any upload.");
    const bytes = await readFile(path);
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

// Where memory runs out all the same, this process is the one to go.
writeFile("/proc/self/oom_score_adj", "1000").catch(() => undefined);
setInterval(() => {
  if (process.memoryUsage.rss() > mostMemory) process.exit(outOfMemory);
}, lookMillis);
process.on("disconnect", () => process.exit());
process.on("message", (job: MediaJob) => void work(job).then(say));
say({ is: "ready" });
