/** A campaign as it is stored, its columns, and what responses show of it. */
import type { Columns } from "../database/TableColumns.ts";
import { versionTag } from "../http/ResourceVersion.ts";
import { utcText } from "../time/LocalTime.ts";
import type { CampaignId, CampaignKey } from "../wire/Ids.ts";
import { storedQuietHours } from "../workspaces/QuietHours.ts";
import type { Campaign } from "./Campaign.ts";
import type { CampaignDates } from "./CampaignDates.ts";
import { campaignStatus } from "./CampaignStatus.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";
import { storedGoal } from "./Goal.ts";
import { storedRecurrence } from "./recurrence/Recurrence.ts";

/** The values of a campaign that a draft writes, without its targets. Instants are epoch milliseconds. */
export interface CampaignValues
  extends
    CampaignDates,
    Pick<
      Campaign,
      | "name"
      | "type"
      | "frequency_cap_count"
      | "frequency_cap_period"
      | "cap_by"
      | "quiet_hours"
      | "cooldown_minutes"
      | "max_per_minute"
      | "holdout_percent"
      | "goal"
    > {
  readonly segment_match: Campaign["targeting"]["segment_match"];
}

/** The columns that a draft writes. */
export const campaignColumns = {
  name: "text",
  type: "text",
  timezone: "text",
  startsAt: ["starts_at", "timestamptz"],
  endsAt: ["ends_at", "timestamptz"],
  writtenEnd: ["written_ends_at", "timestamptz"],
  recurrence: "jsonb",
  frequency_cap_count: "int4",
  frequency_cap_period: "text",
  cap_by: "text",
  quiet_hours: "jsonb",
  cooldown_minutes: "int4",
  max_per_minute: "int4",
  segment_match: "text",
  holdout_percent: "float8",
  goal: "jsonb",
} as const satisfies Columns<CampaignValues>;

/** The other values of a stored campaign, without its targets. Instants are epoch milliseconds. */
interface CampaignState {
  readonly id: CampaignId;
  readonly key: CampaignKey;
  readonly paused: boolean;
  /** When it was first not paused; null for a draft. */
  readonly publishedAt: number | null;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The columns of a stored campaign. */
export const storedCampaignColumns = {
  id: "uuid",
  key: "int4",
  paused: "bool",
  publishedAt: ["published_at", "timestamptz"],
  archived: "bool",
  createdAt: ["created_at", "timestamptz"],
  updatedAt: ["updated_at", "timestamptz"],
  ...campaignColumns,
} as const satisfies Columns<CampaignState & CampaignValues>;

/** A campaign with all that is stored of it. */
export interface StoredCampaign extends CampaignState, CampaignValues, ResolvedTargeting {}

/** The last second of a campaign as responses show it: of a recurring one the last day as it was written. */
const shownEnd = ({ endsAt, writtenEnd }: CampaignDates): string | null => {
  const end = writtenEnd ?? endsAt;
  return end === null ? null : utcText(end);
};

/** A campaign as responses show it, with its status at an instant in epoch milliseconds. */
export const shownCampaign = (campaign: Omit<StoredCampaign, "key">, now: number): Campaign => ({
  id: campaign.id,
  name: campaign.name,
  type: campaign.type,
  status: campaignStatus(campaign, now),
  starts_at: utcText(campaign.startsAt),
  ends_at: shownEnd(campaign),
  timezone: campaign.timezone,
  recurrence: storedRecurrence(campaign.recurrence),
  paused: campaign.paused,
  published_at: campaign.publishedAt === null ? null : utcText(campaign.publishedAt),
  archived: campaign.archived,
  frequency_cap_count: campaign.frequency_cap_count,
  frequency_cap_period: campaign.frequency_cap_period,
  cap_by: campaign.cap_by,
  quiet_hours: storedQuietHours(campaign.quiet_hours),
  cooldown_minutes: campaign.cooldown_minutes,
  max_per_minute: campaign.max_per_minute,
  holdout_percent: campaign.holdout_percent,
  goal: storedGoal(campaign.goal),
  targeting: {
    location_ids: campaign.locationIds,
    location_group_ids: campaign.groupIds,
    segmentation_ids: campaign.segmentIds,
    // The last segment of a campaign that has ended can be deleted (contract E6).
    segment_match: campaign.segmentIds.length > 0 ? campaign.segment_match : null,
  },
  created_at: utcText(campaign.createdAt),
  updated_at: utcText(campaign.updatedAt),
});

/** The version of a campaign as an ETag (contract S3). The status is no part of it: it follows the clock. */
export const campaignVersion = (campaign: StoredCampaign): string => versionTag(campaign);
