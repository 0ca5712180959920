import { assert, it } from "vitest";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { LinkedMap } from "../../../src/http/connections/LinkedMap.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { readonly type: "major" | "minor" }) => void;

const members = 20_000;
const together = 50;

it("members that left are not kept by the collections of the young generation", () => {
  const map = new LinkedMap<ReadonlyArray<number>, null>();
  // The map comes to the old generation.
  collect({ type: "major" });
  const before = process.memoryUsage().heapUsed;
  const live: Array<ReadonlyArray<number>> = [];
  for (let index = 0; index < members; index++) {
    const member = Array.from({ length: 1_000 }, () => index);
    const left = live[index % together];
    if (left !== undefined) map.delete(left);
    live[index % together] = member;
    map.set(member, null);
    if (index % 500 === 0) collect({ type: "minor" });
  }
  collect({ type: "minor" });
  assert.strictEqual(map.size, together);
  // A `Map` keeps 50 of these 160 MB.
  assert.isBelow((process.memoryUsage().heapUsed - before) / 1e6, 10);
});

it("a linked map does what a map does, in the order in which keys were added", () => {
  const keys = Array.from({ length: 6 }, (_, index) => ({ index }));
  const random = [3, 1, 4, 1, 5, 0, 2, 5, 3, 5, 0, 2, 4, 1, 3];
  const [own, known] = [new LinkedMap<object, number>(), new Map<object, number>()];
  const same = (): void => {
    assert.deepStrictEqual([...own], [...known]);
    assert.deepStrictEqual([...own.keys()], [...known.keys()]);
    assert.deepStrictEqual([...own.values()], [...known.values()]);
    assert.strictEqual(own.size, known.size);
  };
  random.forEach((chosen, step) => {
    const key = keys[chosen] as object;
    if (step % 3 === 2) assert.strictEqual(own.delete(key), known.delete(key));
    else assert.deepStrictEqual([...own.set(key, step)], [...known.set(key, step)]);
    assert.strictEqual(own.has(key), known.has(key));
    assert.strictEqual(own.get(key), known.get(key));
    same();
  });
  const seen: Array<number> = [];
  own.forEach((value, key, map) => {
    seen.push(value);
    map.delete(key);
  });
  assert.deepStrictEqual(seen, [...known.values()]);
  known.clear();
  same();
  own.set(keys[0] as object, 1).clear();
  same();
});
