import { assert, describe, it } from "@effect/vitest";
import {
  freePermits,
  type HeldPermits,
  isFlowing,
  type PacedSend,
  paceOf,
  sharesOf,
  withTaken,
} from "../../../src/sending/pacing/Pace.ts";
import { CampaignKey } from "../../../src/wire/Ids.ts";

const now = 1_000_000_000;
const pacedSend = (fields: Partial<PacedSend> = {}): PacedSend => ({
  workspaceId: 1,
  environment: "production",
  sourceId: 1n,
  id: "a",
  campaignKey: CampaignKey(1),
  dueAt: now,
  startedAt: now,
  isOpen: true,
  campaignLimit: 600,
  workspaceLimit: null,
  ...fields,
});

describe("Permits of a pace", () => {
  it("taken permits leave no more than the limit, however the limit was lowered (T5.2, Y11)", () => {
    assert.strictEqual(freePermits({ limit: 10, used: 9, nextAt: 0 }, now), 1);
    assert.strictEqual(freePermits({ limit: 10, used: 10, nextAt: 0 }, now), 0);
    assert.strictEqual(freePermits({ limit: 10, used: 400, nextAt: 0 }, now), 0);
  });

  it("a minute's permits are spread over the minute, at least 95 % of them, and all within it (T5.3)", () => {
    for (const limit of [1, 7, 10, 59, 600, 44_100, 1_000_000]) {
      let scope = { limit, used: 0, nextAt: 0 };
      for (let at = now; at < now + 60_000; at += 250) {
        const permits = freePermits(scope, at);
        assert.isAtMost(permits, Math.ceil(limit / 12) + 1);
        scope = withTaken(scope, permits, at);
      }
      assert.strictEqual(scope.used, limit);
    }
  });

  it("time in which nobody gave permits is made up for by at most five seconds' worth (T5.3)", () => {
    assert.strictEqual(freePermits({ limit: 6_000, used: 0, nextAt: now - 600_000 }, now), 501);
  });

  it("the pace is the smaller of both limits, and null without one (T5.2, Y12)", () => {
    assert.strictEqual(paceOf(pacedSend({ campaignLimit: 10, workspaceLimit: 20 })), 10);
    assert.strictEqual(paceOf(pacedSend({ campaignLimit: 30, workspaceLimit: 20 })), 20);
    assert.strictEqual(paceOf(pacedSend({ campaignLimit: null, workspaceLimit: 20 })), 20);
    assert.isNull(paceOf(pacedSend({ campaignLimit: null })));
  });

  it("sends are served by due time, then id (Y31)", () => {
    const sends = [
      pacedSend({ id: "c", sourceId: 1n, dueAt: now }),
      pacedSend({ id: "b", sourceId: 2n, dueAt: now - 1 }),
      pacedSend({ id: "a", sourceId: 3n, dueAt: now }),
    ];
    const turns = sharesOf(sends, () => now, now);
    assert.deepStrictEqual(
      turns.map(({ send }) => send.id),
      ["b", "a", "c"],
    );
  });

  it("a send that has waited for half a minute comes first, with a second's worth (Y31)", () => {
    const first = pacedSend({ id: "a", sourceId: 1n });
    const second = pacedSend({ id: "b", sourceId: 2n });
    const lastPart = ({ id }: PacedSend) => (id === "a" ? now : now - 30_000);
    const turns = sharesOf([first, second], lastPart, now);
    assert.deepStrictEqual(
      turns.map(({ most, send }) => [send.id, most]),
      [
        ["b", 10],
        ["a", Infinity],
        ["b", Infinity],
      ],
    );
  });

  it("a transport that leaves a tenth of the pace in the queue gets no more permits (T5.3)", () => {
    const heldBy = (untaken: number): ReadonlyArray<HeldPermits> => [
      { sourceId: 1n, transport: "fcm", permits: 600, untaken },
    ];
    assert.isTrue(isFlowing(heldBy(59), pacedSend(), 600)("fcm"));
    assert.isFalse(isFlowing(heldBy(60), pacedSend(), 600)("fcm"));
    assert.isTrue(isFlowing(heldBy(60), pacedSend(), 600)("apns"));
    assert.isTrue(isFlowing(heldBy(60), pacedSend({ sourceId: 2n }), 600)("fcm"));
  });
});
