import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { seal, sealingKey, unseal } from "../../src/access/SealedText.ts";

const key = sealingKey("a secret key of the tests");

describe("Sealed texts", () => {
  it("a sealed text opens with the same key and context, and differs each time", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, context) => {
        const sealed = seal(key, context, text);
        assert.strictEqual(unseal(key, context, sealed), text.toWellFormed());
        assert.notDeepEqual(seal(key, context, text), sealed);
      }),
    );
  });

  it("a sealed text does not open with another key or context, or with a changed byte", () => {
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

  it("a sealed text does not contain the text", () => {
    assert.notInclude(Buffer.from(seal(key, "1/sandbox/fcm", "hush hush hush")).toString("latin1"), "hush");
  });
});
