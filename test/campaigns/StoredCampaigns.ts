import { Effect, Schema } from "effect";
import { CampaignsSql } from "../../src/campaigns/CampaignsSql.ts";
import type { CampaignValues } from "../../src/campaigns/StoredCampaign.ts";
import { TimeZoneName } from "../../src/time/TimeZone.ts";
import { CampaignId, idAt } from "../../src/wire/Ids.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { suiteStart } from "../TestTenants.ts";

const hour = 3_600_000;

/** A geo campaign from an hour after the suite's start on, without end. */
const campaignValues: CampaignValues = {
  name: "Opening week",
  type: "geo",
  timezone: Schema.decodeSync(TimeZoneName)("Europe/Amsterdam"),
  startsAt: suiteStart + hour,
  endsAt: null,
  writtenEnd: null,
  recurrence: null,
  frequency_cap_count: null,
  frequency_cap_period: null,
  cap_by: "device",
  quiet_hours: null,
  cooldown_minutes: null,
  max_per_minute: null,
  segment_match: null,
  holdout_percent: 0,
  goal: null,
};

/** Inserts a campaign with a name of its own, unless it is given; gives its id. */
export const insertCampaign = (tenant: Tenant, values: Partial<CampaignValues> = {}, now = suiteStart) =>
  Effect.gen(function* () {
    const repository = yield* CampaignsSql;
    const id = CampaignId(idAt(now));
    const campaign = {
      id,
      values: { ...campaignValues, name: `Campaign ${id}`, ...values },
      targets: { locationIds: [], groupIds: [], segmentIds: [] },
      paused: false,
      limit: null,
    };
    yield* repository.insert(tenant, campaign, now);
    return id;
  });
