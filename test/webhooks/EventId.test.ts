import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { messageIds } from "../../src/sending/deliveries/MessageId.ts";
import { callId, eventIds } from "../../src/webhooks/EventId.ts";
import { isUuid, DeviceKey } from "../../src/wire/Ids.ts";

const secretKey = "secret-key-of-the-tests-with-32-characters";
const ids = eventIds(secretKey);
const messages = messageIds(secretKey);

describe("Ids of events and calls", () => {
  it("an event's id holds its recording and its index, and is no message's id (N2)", () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, (1n << 60n) - 1n),
        fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        (recording, index) => {
          const id = ids.idOf({ recording, index });
          assert.isTrue(isUuid(id));
          assert.strictEqual(id, eventIds(secretKey).idOf({ recording, index }));
          assert.deepStrictEqual(ids.keyOf(id.toUpperCase()), { recording, index });
          assert.isNull(messages.keyOf(id));
          assert.isNull(ids.keyOf(messages.idOf({ sourceId: recording, deviceKey: DeviceKey(index) })));
        },
      ),
    );
    assert.isNull(ids.keyOf("nonsense"));
  });

  it("ids of successive events show neither their order nor how many others there are (N2)", () => {
    const count = 10_000;
    const made = Array.from({ length: count }, (_, index) =>
      ids.idOf({ recording: BigInt(Math.floor(index / 2) + 1), index: index % 2 }),
    );
    assert.strictEqual(new Set(made).size, count);
    // Of 10,000 random numbers of 16 bits, 9,271 differ on average.
    for (const [from, to] of [
      [0, 4],
      [32, 36],
    ])
      assert.closeTo(new Set(made.map((id) => id.slice(from, to))).size, 9_271, 150);
    const ascending = made.filter((id, index) => id > (made[index - 1] ?? "")).length;
    assert.closeTo(ascending, count / 2, count / 50);
  });

  it("a call's id is the same for the same webhook and events only (N3)", () => {
    const [a, b] = [ids.idOf({ recording: 1n, index: 0 }), ids.idOf({ recording: 1n, index: 1 })];
    const calls = [callId("w", [a]), callId("w", [b]), callId("w", [a, b]), callId("v", [a])];
    assert.isTrue(calls.every(isUuid));
    assert.lengthOf(new Set(calls), 4);
    assert.strictEqual(callId("w", [a, b]), calls[2]);
  });
});
