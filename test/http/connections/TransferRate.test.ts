import { assert, describe, it } from "@effect/vitest";
import {
  advance,
  fileLimits,
  fullSpoolLimits,
  isLong,
  isTooSlow,
  type Transfer,
  type TransferDirection,
  transferLimits as limits,
} from "../../../src/http/connections/TransferRate.ts";

const second = 1000;

/** The second at which a transfer ends that moves these bytes each second; null if it lasts all seconds. */
const endOf = (
  direction: TransferDirection,
  bytesAt: (at: number) => number,
  seconds: number,
  limitsOfAll = limits,
): number | null => {
  let transfer: Transfer | null = null;
  let bytes = 0;
  for (let at = 0; at <= seconds; at++) {
    bytes += bytesAt(at);
    transfer = advance(transfer, { direction, bytes }, at * second, limitsOfAll);
    if (transfer !== null && isTooSlow(transfer, at * second)) return at;
  }
  return null;
};

describe("the least rate of a transfer", () => {
  it("a body that stalls ends after 10 seconds, one of 500 bytes a second does not (running.slow)", () => {
    assert.strictEqual(
      endOf("body", () => 0, 60),
      11,
    );
    assert.strictEqual(
      endOf("body", () => 10, 60),
      11,
    );
    assert.strictEqual(
      endOf("body", () => 250, 60),
      21,
    );
    assert.isNull(endOf("body", () => 500, 3600));
    assert.isNull(endOf("body", (at) => (at % 10 === 9 ? 5000 : 0), 3600));
  });

  it("a large burst pays for 10 seconds of a body and for 25 of a response (running.slow)", () => {
    const burst = (at: number) => (at === 1 ? 5_000_000 : 0);
    assert.strictEqual(endOf("body", burst, 60), 12);
    assert.strictEqual(endOf("response", burst, 60), 27);
    assert.strictEqual(
      endOf("response", () => 0, 60),
      11,
    );
    assert.isNull(endOf("response", (at) => (at % 20 === 1 ? 100_000 : 0), 3600));
  });

  it("a file must be read at 16 kB a second on average over two minutes (running.slow)", () => {
    const end = (bytesAt: (at: number) => number) => endOf("response", bytesAt, 3600, fileLimits);
    assert.strictEqual(
      end(() => 0),
      121,
    );
    assert.strictEqual(
      end(() => 8_000),
      241,
    );
    assert.isNull(end(() => 16_000));
    // A third of a socket's buffer at once.
    assert.isNull(end((at) => (at % 90 === 10 ? 1_440_000 : 0)));
    assert.strictEqual(
      end((at) => (at === 1 ? 10_000_000 : 0)),
      122,
    );
    // The least rate of other responses is far lower.
    assert.isNull(endOf("response", () => 8_000, 3600));
  });

  it("a file whose query waits must be read at 1 MB a second over half a minute (running.slow)", () => {
    const end = (bytesAt: (at: number) => number) => endOf("response", bytesAt, 3600, fullSpoolLimits);
    assert.strictEqual(
      end(() => 0),
      31,
    );
    assert.strictEqual(
      end(() => 500_000),
      61,
    );
    assert.isNull(end(() => 1_000_000));
  });

  it("a transfer begins again when the server was the one to wait for, or the direction changes", () => {
    const first = advance(null, { direction: "body", bytes: 0 }, 0, limits);
    assert.isNull(advance(first, null, 9 * second, limits));
    const response = advance(first, { direction: "response", bytes: 0 }, 9 * second, limits);
    assert.deepInclude(response, { startedAt: 9 * second, deadline: 19 * second });
    assert.isFalse(isLong(response as Transfer, 19 * second, limits));
    assert.isTrue(isLong(response as Transfer, 19 * second + 1, limits));
  });
});
