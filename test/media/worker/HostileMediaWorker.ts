/** A media worker that fails in the way its argument names. */
import { outOfMemory } from "../../../src/media/worker/MediaJob.ts";

const failure = process.argv[2];

if (failure === "never starts") process.exit(3);

process.on("disconnect", () => process.exit());
process.on("message", () => {
  if (failure === "hangs") while (true);
  if (failure === "dies") process.exit(1);
  if (failure === "is killed") process.kill(process.pid, "SIGSEGV");
  if (failure === "uses too much memory") process.exit(outOfMemory);
  process.send?.({ _tag: "unable", problem: "no such library" });
});
process.send?.({ _tag: "ready" });
