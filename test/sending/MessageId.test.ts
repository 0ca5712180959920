import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { deliveryKey, messageId } from "../../src/sending/MessageId.ts";
import { isUuid } from "../../src/wire/Ids.ts";

describe("Message ids", () => {
  it("a message id is a UUID of version 8 that holds the delivery's key, in any letter case", () => {
    const sourceIds = fc.bigInt({ min: 1n, max: 2n ** 60n - 1n });
    fc.assert(
      fc.property(sourceIds, fc.integer({ min: 1, max: 2_147_483_647 }), (sourceId, deviceKey) => {
        const id = messageId(sourceId, deviceKey);
        assert.isTrue(isUuid(id));
        assert.strictEqual(id[14], "8");
        assert.strictEqual(id[19], "8");
        assert.deepStrictEqual(deliveryKey(id), { sourceId, deviceKey });
        assert.deepStrictEqual(deliveryKey(id.toUpperCase()), { sourceId, deviceKey });
      }),
    );
  });

  it("other UUIDs are not message ids", () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        const key = deliveryKey(id);
        assert.isTrue(key === null || messageId(key.sourceId, key.deviceKey) === id);
      }),
    );
    assert.isNull(deliveryKey("00000000-0000-8a41-8000-0000ffffffff"));
    assert.isNull(deliveryKey("01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"));
  });
});
