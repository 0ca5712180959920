import { utcText } from "../time/LocalTime.ts";
import type { CampaignId } from "../wire/Ids.ts";
import type { Campaign, FoundCampaign } from "./Campaign.ts";
import { datesOf } from "./CampaignDates.ts";
import { campaignStatus } from "./CampaignStatus.ts";
import type { CampaignValues } from "./NewCampaignsSql.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";

/** The values of a campaign, as they are stored. Instants are epoch milliseconds. */
export interface StoredCampaign extends CampaignValues {
  readonly id: CampaignId;
  readonly paused: boolean;
  /** When it was first not paused; null for a draft. */
  readonly publishedAt: number | null;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const shownEnd = ({ endsAt, writtenEnd }: CampaignValues): string | null => {
  const end = writtenEnd ?? endsAt;
  return end === null ? null : utcText(end);
};

/** A stored campaign as responses show it, with its status at `now`. */
export const shownCampaign = (row: StoredCampaign, targets: ResolvedTargeting, now: number): Campaign => ({
  id: row.id,
  name: row.name,
  type: row.type,
  status: campaignStatus(row, now),
  starts_at: utcText(row.startsAt),
  ends_at: shownEnd(row),
  timezone: row.timezone,
  recurrence: row.recurrence,
  paused: row.paused,
  published_at: row.publishedAt === null ? null : utcText(row.publishedAt),
  archived: row.archived,
  frequency_cap_count: row.frequencyCapCount,
  frequency_cap_period: row.frequencyCapPeriod,
  cap_by: row.capBy,
  quiet_hours: row.quietHours,
  cooldown_minutes: row.cooldownMinutes,
  max_per_minute: row.maxPerMinute,
  holdout_percent: row.holdoutPercent,
  goal: row.goal,
  targeting: {
    location_ids: targets.locationIds,
    location_group_ids: targets.groupIds,
    segmentation_ids: targets.segmentIds,
    // The last segment of a campaign that has ended can be deleted (contract E6).
    segment_match: targets.segmentIds.length > 0 ? row.segmentMatch : null,
  },
  created_at: utcText(row.createdAt),
  updated_at: utcText(row.updatedAt),
});

/** The values of a campaign that is read: the inverse of `shownCampaign`. */
export const valuesOf = (campaign: FoundCampaign): CampaignValues => ({
  name: campaign.name,
  type: campaign.type,
  ...datesOf(campaign),
  frequencyCapCount: campaign.frequency_cap_count,
  frequencyCapPeriod: campaign.frequency_cap_period,
  capBy: campaign.cap_by,
  quietHours: campaign.quiet_hours,
  cooldownMinutes: campaign.cooldown_minutes,
  maxPerMinute: campaign.max_per_minute,
  segmentMatch: campaign.targeting.segment_match,
  holdoutPercent: campaign.holdout_percent,
  goal: campaign.goal,
});
