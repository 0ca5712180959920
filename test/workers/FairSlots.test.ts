import { assert, describe, it } from "@effect/vitest";
import { FairSlots } from "../../src/workers/FairSlots.ts";

const limits = { maxRunning: 3, maxRunningPerOwner: 2, maxWaitingPerOwner: 2 };

/** Slots, and a function that claims one; `granted` has the claims that run or ran, in their order. */
const world = () => {
  const slots = new FairSlots(limits);
  const granted: Array<string> = [];
  const claim = (owner: string, name: string) => slots.claim(owner, () => granted.push(name));
  return { slots, granted, claim };
};

describe("FairSlots", () => {
  it("an owner holds some of the slots, and claims of others overtake its own that wait (B3.8)", () => {
    const { claim, granted, slots } = world();
    const [first, second] = [claim("a", "a1"), claim("a", "a2")];
    claim("a", "a3");
    claim("a", "a4");
    const other = claim("b", "b1");
    claim("c", "c1");
    assert.deepStrictEqual(granted, ["a1", "a2", "b1"]);
    assert.deepStrictEqual([slots.running, slots.waiting], [3, 3]);
    other?.();
    assert.deepStrictEqual(granted, ["a1", "a2", "b1", "c1"]);
    first?.();
    assert.deepStrictEqual(granted, ["a1", "a2", "b1", "c1", "a3"]);
    second?.();
    assert.deepStrictEqual(granted.at(-1), "a4");
  });

  it("a claim is turned away while too many claims of its owner wait", () => {
    const { claim, granted } = world();
    claim("a", "a1");
    claim("a", "a2");
    const waiting = claim("a", "a3");
    claim("a", "a4");
    assert.isNull(claim("a", "a5"));
    assert.isNotNull(claim("b", "b1"));
    waiting?.();
    assert.isNotNull(claim("a", "a6"));
    assert.deepStrictEqual(granted, ["a1", "a2", "b1"]);
  });

  it("a claim that is withdrawn is never granted, and a release counts once", () => {
    const { claim, granted, slots } = world();
    const first = claim("a", "a1");
    claim("a", "a2");
    claim("a", "a3")?.();
    claim("a", "a4");
    first?.();
    first?.();
    assert.deepStrictEqual(granted, ["a1", "a2", "a4"]);
    assert.deepStrictEqual([slots.running, slots.waiting], [2, 0]);
  });
});
