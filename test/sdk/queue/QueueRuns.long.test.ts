import { describe, it } from "@effect/vitest";
import { fixedSeed } from "../../FixedSeed.ts";
import { queueRun } from "./QueueRuns.ts";

describe("The queue of a browser", () => {
  it("1,000 runs of kills, offline spells and clock jumps lose and double nothing, in order (BW4)", async () => {
    for (let run = 0; run < 1_000; run += 1) await queueRun(fixedSeed + run);
  });
});
