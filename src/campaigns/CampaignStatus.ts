import { Schema } from "effect";

/** The four states of a campaign, computed from its dates and never stored. */
export const CampaignStatus = Schema.Literals(["active", "scheduled", "paused", "ended"]);
export type CampaignStatus = typeof CampaignStatus.Type;

/** The start and last instant of a campaign in epoch milliseconds; `endsAt` is null for no end. */
export interface CampaignPeriod {
  readonly startsAt: number;
  readonly endsAt: number | null;
}

/**
 * Whether an instant lies in the period, both ends included; only then does an event trigger (contract L1).
 */
export const isWithin = (period: CampaignPeriod, ms: number): boolean =>
  ms >= period.startsAt && (period.endsAt === null || ms <= period.endsAt);

/**
 * The status at an instant: `ended` once `endsAt` has passed, else `paused`, else `scheduled` until
 * `startsAt`, else `active`. `statusSql` is the same rule in SQL.
 */
export const campaignStatus = (
  campaign: CampaignPeriod & { readonly paused: boolean },
  nowMs: number,
): CampaignStatus => {
  if (campaign.endsAt !== null && nowMs > campaign.endsAt) return "ended";
  if (campaign.paused) return "paused";
  return nowMs < campaign.startsAt ? "scheduled" : "active";
};
