/** Stands in for the child that looks into media files, and does what none should. */
import { outOfMemory } from "../../../src/media/worker/MediaJob.ts";

const how = process.argv[2];

if (how === "never starts") process.exit(3);

process.on("disconnect", () => process.exit());
process.on("message", () => {
  if (how === "hangs") while (true);
  if (how === "dies") process.exit(1);
  if (how === "is killed") process.kill(process.pid, "SIGSEGV");
  if (how === "eats") process.exit(outOfMemory);
  process.send?.({ is: "unable", problem: "no such library" });
});
process.send?.({ is: "ready" });
