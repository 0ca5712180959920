import { assert, describe, it } from "@effect/vitest";
import { createHash } from "node:crypto";
import { qrCode } from "../../console/devices/QrCode.ts";

const digestOf = (text: string): string =>
  createHash("sha256")
    .update((qrCode(text) ?? []).map((row) => row.map((isDark) => (isDark ? "1" : "0")).join("")).join("\n"))
    .digest("hex")
    .slice(0, 16);

describe("QR codes of the console", () => {
  it("have the modules that a reader has read as the text (console.try)", () => {
    // jsQR 1.4 has read these codes, and those of texts of every length up to the maximum.
    for (const [text, digest] of [
      ["https://push.example.com/sdk/v1/try.html#key=wpk_1", "253ef29eed2f04f2"],
      ["é".repeat(135), "6b3aff1a9eaccee8"],
    ] as const)
      assert.strictEqual(digestOf(text), digest);
  });

  it("are not made of a text that does not fit (console.try)", () => {
    assert.isNotNull(qrCode("a".repeat(271)));
    assert.isNull(qrCode("a".repeat(272)));
  });
});
