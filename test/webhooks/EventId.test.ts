import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { isUuid } from "../../src/wire/Ids.ts";
import { callId, eventId, eventKey } from "../../src/webhooks/EventId.ts";
import { messageIds } from "../../src/sending/MessageId.ts";

const ids = messageIds("secret-key-of-the-tests-with-32-characters");

describe("Ids of events and calls", () => {
  it("an event's id holds its recording and its index (N2)", () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, (1n << 60n) - 1n),
        fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        (recording, index) => {
          const id = eventId({ recording, index });
          assert.isTrue(isUuid(id));
          assert.deepStrictEqual(eventKey(id), { recording, index });
          assert.isNull(ids.keyOf(id));
        },
      ),
    );
    assert.isNull(eventKey(ids.idOf({ sourceId: 7n, deviceKey: 7 })));
    assert.isNull(eventKey("nonsense"));
  });

  it("a call's id is the same for the same webhook and events only (N3)", () => {
    const [a, b] = [eventId({ recording: 1n, index: 0 }), eventId({ recording: 1n, index: 1 })];
    const calls = [callId("w", [a]), callId("w", [b]), callId("w", [a, b]), callId("v", [a])];
    assert.isTrue(calls.every(isUuid));
    assert.lengthOf(new Set(calls), 4);
    assert.strictEqual(callId("w", [a, b]), calls[2]);
  });
});
