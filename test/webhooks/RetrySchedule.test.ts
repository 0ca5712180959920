import { assert, describe, it } from "@effect/vitest";
import { maxAttempts, nextAttemptAt } from "../../src/webhooks/RetrySchedule.ts";

describe("The retries of a call", () => {
  it("seven pauses grow from 5 seconds to 14 hours, each up to a tenth longer (N4)", () => {
    const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400];
    for (const [index, pause] of seconds.entries()) {
      assert.strictEqual(nextAttemptAt(index + 1, 1_000, null, 0), 1_000 + pause * 1_000);
      assert.strictEqual(nextAttemptAt(index + 1, 0, null, 1), pause * 1_100);
    }
    assert.isNull(nextAttemptAt(maxAttempts, 0, null, 0));
    assert.isNull(nextAttemptAt(maxAttempts, 0, 5_000, 0));
  });

  it("Retry-After lengthens a pause, up to a day (N4)", () => {
    assert.strictEqual(nextAttemptAt(1, 0, 60_000, 0), 60_000);
    assert.strictEqual(nextAttemptAt(1, 0, 1_000, 0), 5_000);
    assert.strictEqual(nextAttemptAt(1, 0, 10 * 86_400_000, 0), 86_400_000);
  });
});
