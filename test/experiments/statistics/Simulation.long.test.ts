import { assert, it } from "@effect/vitest";
import { simulate } from "./Simulation.ts";

it("of 20,000 experiments without a lift, tested 30 times, at most 5 % are ever significant (U6.3)", () => {
  for (const rate of [0.02, 0.3]) assert.isAtMost(simulate(10_000, rate, rate).significant, 0.05);
});

it("in 95 % of 5,000 experiments the interval has the known lift every time (U6.3)", () => {
  for (const [rateA, rateB] of [
    [0.06, 0.05],
    [0.25, 0.2],
  ] as const)
    assert.isAtLeast(simulate(2_500, rateA, rateB).covered, 0.95);
});
