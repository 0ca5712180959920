import { assert, it } from "@effect/vitest";
import { simulate } from "./Simulation.ts";

it("at most 5 % of experiments without a lift ever become significant (U6.3)", () => {
  assert.isAtMost(simulate(400, 0.08, 0.08).significant, 0.05);
});

it("an experiment with a large lift becomes significant (U6.3)", () => {
  assert.strictEqual(simulate(20, 0.2, 0.08).significant, 1);
});
