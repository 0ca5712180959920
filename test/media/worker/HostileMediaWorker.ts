/** A media worker that fails in the way its argument names. */
import { overCpuLimit, overMemoryLimit } from "../../../src/media/worker/MediaWatchdog.ts";

const failure = process.argv[2];

if (failure === "never starts") process.exit(3);

process.on("disconnect", () => process.exit());
process.on("message", () => {
  if (failure === "hangs") while (true);
  if (failure === "dies") process.exit(1);
  if (failure === "is killed") process.kill(process.pid, "SIGSEGV");
  if (failure === "uses too much CPU time") process.kill(process.pid, overCpuLimit);
  if (failure === "uses too much memory") process.kill(process.pid, overMemoryLimit);
  process.send?.({ _tag: "unable", problem: "no such library", isWorn: false });
});
process.send?.({ _tag: "ready" });
