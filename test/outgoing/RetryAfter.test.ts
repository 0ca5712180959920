import { assert, describe, it } from "@effect/vitest";
import { retryAfterMillis } from "../../src/outgoing/RetryAfter.ts";

describe("Retry-After", () => {
  it("seconds of any number of digits and dates are read, and other texts are not (L7, N4.3)", () => {
    const now = Date.parse("2026-11-21T12:00:00Z");
    assert.strictEqual(retryAfterMillis(" 120 ", now), 120_000);
    assert.strictEqual(retryAfterMillis("Sat, 21 Nov 2026 12:00:30 GMT", now), 30_000);
    assert.strictEqual(retryAfterMillis("Sat, 21 Nov 2026 11:00:00 GMT", now), 0);
    for (const seconds of ["9999999999", "9".repeat(400)])
      assert.isAtLeast(retryAfterMillis(seconds, now) ?? 0, 366 * 86_400_000, seconds);
    for (const text of [undefined, "", "-1", "1.5", "soon"]) assert.isNull(retryAfterMillis(text, now));
  });
});
