/** A media worker that fails in the way its argument names. */
import type { MediaJobMessage } from "../../../src/media/worker/MediaJob.ts";
import { overCpuLimit, overMemoryLimit, startWatchdog } from "../../../src/media/worker/MediaWatchdog.ts";

const failure = process.argv[2];

if (failure === "never starts") process.exit(3);

process.on("disconnect", () => process.exit());
const { startJob } = await startWatchdog();
const hoard: Array<Buffer> = [];

process.on("message", ({ bytes }: MediaJobMessage) => {
  if (failure === "hangs on large files" && bytes > 1000) while (true);
  if (failure === "computes forever") {
    startJob();
    while (true);
  }
  if (failure === "allocates forever") {
    startJob();
    while (true) hoard.push(Buffer.alloc(1_000_000, 1));
  }
  if (failure === "hangs") while (true);
  if (failure === "dies") process.exit(1);
  if (failure === "is killed") process.kill(process.pid, "SIGSEGV");
  if (failure === "uses too much CPU time") process.kill(process.pid, overCpuLimit);
  if (failure === "uses too much memory") process.kill(process.pid, overMemoryLimit);
  process.send?.({ _tag: "unable", problem: "no such library", isWorn: false });
});
process.send?.({ _tag: "ready" });
