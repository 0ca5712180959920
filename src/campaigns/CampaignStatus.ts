import { Schema } from "effect";

/** The four states of a campaign, computed from its dates and never stored. */
export const CampaignStatus = Schema.Literals(["active", "scheduled", "paused", "ended"]);
export type CampaignStatus = typeof CampaignStatus.Type;

/** Instants are epoch milliseconds; `endsAt` is the last moment that belongs to the period, null for no end. */
export interface CampaignPeriod {
  readonly startsAt: number;
  readonly endsAt: number | null;
}

/** Whether an instant lies in the period, both ends included: what an event must meet to fire (contract L1). */
export const isWithin = (period: CampaignPeriod, ms: number): boolean =>
  ms >= period.startsAt && (period.endsAt === null || ms <= period.endsAt);

/**
 * The status at an instant, in the order of the platform API's rule: `ended` once `endsAt` has passed, else `paused`,
 * else `scheduled` until `startsAt`, else `active`. Its SQL twin is `statusSql`.
 */
export const campaignStatus = (
  campaign: CampaignPeriod & { readonly paused: boolean },
  nowMs: number,
): CampaignStatus => {
  if (campaign.endsAt !== null && nowMs > campaign.endsAt) return "ended";
  if (campaign.paused) return "paused";
  return nowMs < campaign.startsAt ? "scheduled" : "active";
};
