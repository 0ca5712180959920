import { assert, describe, it } from "@effect/vitest";
import { campaignStatus, isWithin } from "../../src/campaigns/CampaignStatus.ts";

const startsAt = 1_000_000;
const endsAt = 2_000_000;

describe("campaignStatus", () => {
  const cases: ReadonlyArray<readonly [number, boolean, number | null, string]> = [
    [startsAt - 1, false, endsAt, "scheduled"],
    [startsAt, false, endsAt, "active"],
    [endsAt, false, endsAt, "active"],
    [endsAt + 1, false, endsAt, "ended"],
    [endsAt + 1, false, null, "active"],
    [startsAt - 1, true, endsAt, "paused"],
    [endsAt, true, endsAt, "paused"],
    [endsAt + 1, true, endsAt, "ended"],
    [endsAt + 1, true, null, "paused"],
  ];
  it.each(cases)(
    "at %i, with paused %s and end %s, the status is %s (campaigns.s_order)",
    (now, paused, end, status) => {
      assert.strictEqual<string>(campaignStatus({ startsAt, endsAt: end, paused }, now), status);
    },
  );

  it(
    "the status is active exactly while the period of an unpaused campaign lasts, both ends included " +
      "(campaigns.s_order)",
    () => {
      for (const end of [endsAt, null])
        for (const now of [startsAt - 1, startsAt, startsAt + 1, endsAt - 1, endsAt, endsAt + 1])
          assert.strictEqual(
            isWithin({ startsAt, endsAt: end }, now),
            campaignStatus({ startsAt, endsAt: end, paused: false }, now) === "active",
          );
    },
  );
});
