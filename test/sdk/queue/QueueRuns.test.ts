import { assert, describe, it } from "@effect/vitest";
import { fixedSeed } from "../../FixedSeed.ts";
import { queueRun } from "./QueueRuns.ts";

describe("The queue of a browser", () => {
  it("kills, offline spells, two tabs, clock jumps and 5xx lose and double nothing (BW4)", async () => {
    let entries = 0;
    let kills = 0;
    for (let run = 0; run < 50; run += 1) {
      const counts = await queueRun(fixedSeed + run);
      entries += counts.entries;
      kills += counts.kills;
    }
    assert.isAbove(entries, 1_000);
    assert.isAbove(kills, 200);
  });
});
