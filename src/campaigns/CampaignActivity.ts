import type { ResourceChange } from "../activity/Activity.ts";
import type { Campaign } from "./Campaign.ts";

/** The fields that activity shows: all but the status, which time changes as well. */
const recorded = (campaign: Campaign) => ({
  name: campaign.name,
  type: campaign.type,
  starts_at: campaign.starts_at,
  ends_at: campaign.ends_at,
  timezone: campaign.timezone,
  paused: campaign.paused,
  archived: campaign.archived,
  frequency_cap_count: campaign.frequency_cap_count,
  frequency_cap_period: campaign.frequency_cap_period,
  targeting: campaign.targeting,
});

/** The change of a campaign for activity (contract S5). */
export const campaignChange = (
  action: ResourceChange["action"],
  before: Campaign | null,
  after: Campaign | null,
): ResourceChange => {
  const shown = after ?? before;
  return {
    action,
    resource: { type: "campaign", id: shown?.id ?? null, name: shown?.name ?? null },
    before: before && recorded(before),
    after: after && recorded(after),
  };
};
