import { assert, describe, it } from "@effect/vitest";
import { fixedSeed } from "../../FixedSeed.ts";
import { queueRun } from "./QueueRuns.ts";

describe("The queue of a browser", () => {
  it("1,000 runs of kills, offline spells and clock jumps lose and double nothing (BW4)", async () => {
    let kills = 0;
    for (let run = 0; run < 1_000; run += 1) kills += (await queueRun(fixedSeed + run)).kills;
    assert.isAbove(kills, 5_000);
  });
});
