import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { messageIds } from "../../../src/sending/deliveries/MessageId.ts";
import { isUuid, DeviceKey } from "../../../src/wire/Ids.ts";

const secretKey = "secret-key-of-the-tests-0123456789";
const ids = messageIds(secretKey);
const others = messageIds(`${secretKey}-of-another`);

describe("message ids", () => {
  it("a message id is a UUID of version 8 that holds the delivery's key, in any letter case", () => {
    const sourceIds = fc.bigInt({ min: 1n, max: 2n ** 60n - 1n });
    fc.assert(
      fc.property(
        sourceIds,
        fc.integer({ min: 1, max: 2_147_483_647 }).map((key) => DeviceKey(key)),
        (sourceId, deviceKey) => {
          const id = ids.idOf({ sourceId, deviceKey });
          assert.isTrue(isUuid(id));
          assert.strictEqual(id[14], "8");
          assert.match(id[19] ?? "", /[89ab]/);
          assert.deepStrictEqual(ids.keyOf(id), { sourceId, deviceKey });
          assert.deepStrictEqual(ids.keyOf(id.toUpperCase()), { sourceId, deviceKey });
        },
      ),
    );
  });

  it("the ids of many deliveries are those of each", () => {
    const keys = Array.from({ length: 100 }, (_, index) => ({
      sourceId: BigInt(index % 7),
      deviceKey: DeviceKey(index + 1),
    }));
    assert.deepStrictEqual(ids.idsOf(keys), keys.map(ids.idOf));
    assert.deepStrictEqual(ids.idsOf([]), []);
  });

  it("ids of successive deliveries are unique, and show neither their order nor their number (L5.4)", () => {
    const count = 10_000;
    const made: Array<string> = [];
    for (let index = 1; index <= count; index++)
      made.push(ids.idOf({ sourceId: BigInt(index), deviceKey: DeviceKey(7) }));
    assert.strictEqual(new Set(made).size, count);
    // Each hex digit but those of version and variant has each value in about a sixteenth of all ids.
    for (let index = 0; index < 36; index++) {
      if ([8, 13, 14, 18, 19, 23].includes(index)) continue;
      const counts = new Map<string, number>();
      for (const id of made) counts.set(id[index] ?? "", (counts.get(id[index] ?? "") ?? 0) + 1);
      assert.strictEqual(counts.size, 16);
      for (const each of counts.values()) assert.closeTo(each, count / 16, count / 64);
    }
    const ascending = made.filter((id, index) => id > (made[index - 1] ?? "")).length;
    assert.closeTo(ascending, count / 2, count / 50);
  });

  it("an id that this installation did not make is none, so ids cannot be invented (L5.4)", () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        assert.isNull(ids.keyOf(id));
      }),
    );
    const made = ids.idOf({ sourceId: 42n, deviceKey: DeviceKey(7) });
    assert.notStrictEqual(made, others.idOf({ sourceId: 42n, deviceKey: DeviceKey(7) }));
    assert.isNull(others.keyOf(made));
    for (const index of [0, 7, 10, 17, 20, 35])
      assert.isNull(
        ids.keyOf(made.slice(0, index) + (made[index] === "0" ? "1" : "0") + made.slice(index + 1)),
      );
    for (const text of ["", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60", "00000000-0000-8a41-8000-0000ffffffff"])
      assert.isNull(ids.keyOf(text));
  });
});
