import { assert, describe, it } from "@effect/vitest";
import { TurnQueue } from "../../src/database/TurnQueue.ts";

/** A queue whose calls are named by their key and a number, such as `a1`. */
const queueOf = (maxBatch: number, maxSize?: number) => {
  const queue = new TurnQueue<string, { readonly item: string }>({
    maxBatch,
    keyOf: (item) => item.slice(0, 1),
    ...(maxSize === undefined ? {} : { maxSize, sizeOf: (item: string) => Number(item.slice(1)) }),
  });
  return {
    queue,
    add: (...items: ReadonlyArray<string>) => {
      for (const item of items) queue.add({ item });
    },
    take: () =>
      queue
        .take()
        .map(({ item }) => item)
        .join(" "),
  };
};

const calls = (key: string, count: number) => Array.from({ length: count }, (_, n) => `${key}${n + 1}`);

describe("TurnQueue", () => {
  it("a batch takes one call of each key before a second one, in order (running.neighbours)", () => {
    const { add, queue, take } = queueOf(4);
    add(...calls("a", 6), ...calls("b", 2), "c1");
    assert.strictEqual(queue.length, 9);
    assert.deepStrictEqual([take(), take(), take(), take()], ["a1 b1 c1 a2", "b2 a3 a4 a5", "a6", ""]);
    assert.strictEqual(queue.length, 0);
  });

  it("a quiet key is in the next batch, however many calls of another wait (running.neighbours)", () => {
    const { add, take } = queueOf(64);
    add(...calls("a", 10_000));
    for (let n = 1; n <= 50; n++) {
      add(`q${n}`);
      assert.include(take().split(" "), `q${n}`);
    }
  });

  it("with more keys than a batch, each has one call before any has two (running.neighbours)", () => {
    const { add, take } = queueOf(10);
    const keys = Array.from({ length: 26 }, (_, n) => String.fromCharCode(97 + n));
    for (const key of keys) add(...calls(key, 3));
    const order = Array.from({ length: 8 }, take).join(" ").split(" ");
    const expected = [1, 2, 3].flatMap((n) => keys.map((key) => `${key}${n}`));
    assert.deepStrictEqual(order, expected);
  });

  it("new calls of others do not push back a key that waits (running.neighbours)", () => {
    const { add, take } = queueOf(2);
    add(...calls("a", 3), ...calls("b", 3), ...calls("c", 3));
    assert.strictEqual(take(), "a1 b1");
    add("d1", "e1", "a4");
    assert.deepStrictEqual([take(), take(), take()], ["c1 a2", "b2 d1", "e1 c2"]);
  });

  it("a batch with enough work takes no further call, but always one (running.neighbours)", () => {
    const { add, take } = queueOf(10, 100);
    add("a500", "a60", "a1", "b60", "c1", "c1");
    assert.deepStrictEqual([take(), take()], ["a500", "b60 c1 a60"]);
    assert.strictEqual(take(), "c1 a1");
  });

  it("a batch leaves out the keys of another one, which are served later (running.neighbours)", () => {
    const { add, queue, take } = queueOf(4);
    add(...calls("a", 3), ...calls("b", 2), "c1");
    const others = queue.take(new Set(["a", "c"])).map(({ item }) => item);
    assert.deepStrictEqual([others.join(" "), queue.length], ["b1 b2", 4]);
    assert.strictEqual(take(), "a1 c1 a2 a3");
  });

  it("a batch is large from half of the calls or of the work on (running.neighbours)", () => {
    const keysOf = (queue: ReturnType<typeof queueOf>["queue"], ...items: ReadonlyArray<string>) =>
      queue.keysOfLarge(items.map((item) => ({ item })));
    const { queue } = queueOf(4);
    assert.isNull(keysOf(queue, "a1"));
    assert.deepStrictEqual(keysOf(queue, "a1", "b1"), new Set(["a", "b"]));
    const { queue: sized } = queueOf(4, 100);
    assert.isNull(keysOf(sized, "a49"));
    assert.deepStrictEqual(keysOf(sized, "a50"), new Set(["a"]));
  });

  it("a batch with four calls of each of few keys is large, too (running.neighbours)", () => {
    const keysOf = (...items: ReadonlyArray<string>) =>
      queueOf(64).queue.keysOfLarge(items.map((item) => ({ item })));
    assert.isNull(keysOf(...calls("a", 7)));
    assert.deepStrictEqual(keysOf(...calls("a", 8)), new Set(["a"]));
    assert.isNull(keysOf(...calls("a", 7), "b1", "c1"));
    assert.deepStrictEqual(keysOf(...calls("a", 8), ...calls("b", 4)), new Set(["a", "b"]));
  });
});
