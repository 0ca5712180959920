import { assert, describe, it } from "@effect/vitest";
import { KeysApart } from "../../src/database/KeysApart.ts";

const minute = 60_000;

describe("KeysApart", () => {
  it("a slow key is apart for a minute, whatever its batches do", () => {
    const keys = new KeysApart<string>();
    assert.isTrue(keys.isEmpty);
    keys.slow("a", 0);
    keys.fast("a");
    keys.suspect("a", 1);
    assert.deepStrictEqual(
      [keys.has("a", minute - 1), keys.has("a", minute), keys.has("b", 0)],
      [true, false, false],
    );
  });

  it("a suspect is apart until a batch of its own was fast", () => {
    const keys = new KeysApart<string>();
    keys.suspect("a", 0);
    assert.isTrue(keys.has("a", 0));
    keys.fast("a");
    assert.isFalse(keys.has("a", 0));
    assert.isTrue(keys.isEmpty);
  });

  it("at most 64 keys are apart, and those whose minute has passed make room", () => {
    const keys = new KeysApart<number>();
    for (let key = 0; key < 100; key++) keys.suspect(key, 0);
    assert.deepStrictEqual([keys.has(63, 0), keys.has(64, 0)], [true, false]);
    keys.slow(64, minute);
    assert.deepStrictEqual([keys.has(63, minute), keys.has(64, minute)], [false, true]);
  });
});
