import { assert, describe, it } from "@effect/vitest";
import { unanswered } from "../../src/webhooks/calls/CallResult.ts";
import { receiverLimits, roomFor, verdictOf } from "../../src/webhooks/calls/ReceiverLimits.ts";

const result = (statusCode: number, retryAfter: number | null = null) => ({
  statusCode,
  error: statusCode < 300 ? null : "An error.",
  retryAfter,
  body: null,
});
const missing = unanswered("There was no answer.");

describe("The limit of calls in flight", () => {
  it("an answer of 5xx, 408 or none is a failure, 429 and Retry-After ask for fewer calls (N4.5)", () => {
    const results = [missing, ...[500, 503, 408, 400, 301, 410, 429].map((status) => result(status))];
    assert.deepStrictEqual(
      [...results, result(503, 7_000), result(204)].map(verdictOf),
      [
        ["failed", "failed", "failed", "failed"],
        ["refused", "refused", "refused"],
        ["throttled", "throttled", "success"],
      ].flat(),
    );
  });

  it("calls are taken when half of the room is free, and at most eight batches are in flight", () => {
    const limits = receiverLimits();
    assert.strictEqual(roomFor(limits, "a", false, 0), 8);
    limits.started("a", 5);
    assert.strictEqual(roomFor(limits, "a", false, 0), 0);
    limits.ended("a", "success", 20, 0);
    assert.strictEqual(roomFor(limits, "a", false, 0), 5);
    for (let index = 0; index < 1_100; index++) {
      limits.started("a", 1);
      limits.ended("a", "success", 20, 0);
    }
    assert.strictEqual(roomFor(limits, "a", false, 0), 124);
    assert.strictEqual(roomFor(limits, "a", true, 0), 4);
  });

  it("webhooks that fail leave half of the room to the others (N4.5)", () => {
    const limits = receiverLimits();
    for (let index = 0; index < 2_000; index++) {
      const name = `hanging-${index}`;
      limits.started(name, 1);
      limits.ended(name, verdictOf(missing), 15_000, 0);
      limits.started(name, Math.min(1, roomFor(limits, name, false, 0)));
    }
    assert.strictEqual(roomFor(limits, "hanging-1", false, 0), 0);
    assert.strictEqual(roomFor(limits, "answering", false, 0), 8);
  });
});
