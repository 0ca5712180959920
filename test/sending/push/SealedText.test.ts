import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { seal, sealingKey, unseal } from "../../../src/sending/push/SealedText.ts";

const key = sealingKey("a secret key of the tests");

describe("A sealed text", () => {
  it("opens under the same key at the same place, and is another each time", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, place) => {
        const sealed = seal(key, place, text);
        assert.strictEqual(unseal(key, place, sealed), text.toWellFormed());
        assert.notDeepEqual(seal(key, place, text), sealed);
      }),
    );
  });

  it("opens under no other key, at no other place, and not with a byte changed", () => {
    const sealed = seal(key, "1/sandbox/fcm", "hush");
    assert.isNull(unseal(sealingKey("another secret key"), "1/sandbox/fcm", sealed));
    assert.isNull(unseal(key, "1/production/fcm", sealed));
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.isNull(unseal(key, "1/sandbox/fcm", changed), `byte ${at}`);
      assert.isNull(unseal(key, "1/sandbox/fcm", sealed.subarray(0, at)), `cut at ${at}`);
    }
  });

  it("shows nothing of itself", () => {
    assert.notInclude(Buffer.from(seal(key, "1/sandbox/fcm", "hush hush hush")).toString("latin1"), "hush");
  });
});
