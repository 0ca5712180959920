/** The rules that hold a message back on an occasion, now or in the past, as pure functions. */
import type { Reason } from "../../devices/Obstacle.ts";
import { addDays } from "../../time/DayNumbers.ts";
import { dateAt, dayStart, periodStart } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import { effectiveQuietHours, quietAt } from "../../workspaces/QuietHours.ts";
import type { FrequencyCap, Workspace } from "../../workspaces/Workspace.ts";
import { cooldownEnd, cooldownStart } from "../deliveries/Cooldown.ts";
import { capWindow } from "../deliveries/FrequencyCap.ts";
import type { ExplainedCampaign, Limit, UsedLimit } from "./ExplanationsSql.ts";

/** The longest period is a month. */
const maxPeriodDays = 32;

/** When the period of a cap ends, in epoch milliseconds. */
const periodEnd = (zone: TimeZoneName, period: FrequencyCap["period"], now: number): number => {
  const since = periodStart(zone, period, now);
  const today = dateAt(zone, now);
  for (let days = 1; days <= maxPeriodDays; days++) {
    const start = dayStart(zone, addDays(today, days));
    if (periodStart(zone, period, start) > since) return start;
  }
  throw new Error(`A ${period} has no end`);
};

/** When the first of the cooldowns at the locations of a device is over; null if one has none. */
const coolingUntil = (minutes: number | null, locations: ReadonlyArray<UsedLimit>): number | null => {
  const began = locations.flatMap(({ cooled_at }) => cooled_at ?? []);
  const isEverywhere = began.length > 0 && began.length === locations.length;
  return minutes === null || !isEverywhere ? null : cooldownEnd(Math.min(...began), minutes);
};

/** The limits of a campaign on an occasion: first its cap, then its cooldown at each location. */
export const limitsOf = (
  campaign: ExplainedCampaign,
  locations: ReadonlyArray<number>,
  { default_frequency_cap: defaultCap }: Workspace,
  at: number,
): ReadonlyArray<Limit> => {
  const cap = capWindow(campaign.cap, defaultCap, campaign.timezone, at);
  const cooldownSince = cooldownStart(campaign.cooldown_minutes, at);
  return [
    { campaign, locationKey: null, cap, cooldownSince: null },
    ...locations.map((locationKey) => ({ campaign, locationKey, cap: null, cooldownSince })),
  ];
};

/**
 * The reasons that hold a message for a device in a zone back on an occasion, in order of precedence, each
 * with its end (epoch milliseconds). `used` is the use of the campaign's `limitsOf`.
 */
export const heldBack = (
  campaign: ExplainedCampaign,
  [ofCap, ...ofLocations]: ReadonlyArray<UsedLimit>,
  { default_frequency_cap: defaultCap, quiet_hours }: Workspace,
  zone: TimeZoneName,
  at: number,
): ReadonlyMap<Reason, number> => {
  const { cap, cooldown_minutes, timezone } = campaign;
  const period = (cap ?? defaultCap)?.period;
  const isCapped = ofCap?.is_capped === true && period !== undefined;
  const ends = [
    ["capped", isCapped ? periodEnd(timezone, period, at) : null],
    ["quiet_hours", quietAt(effectiveQuietHours(campaign.quiet_hours, quiet_hours), zone, at)?.until ?? null],
    ["cooldown", coolingUntil(cooldown_minutes, ofLocations)],
  ] as const;
  return new Map(ends.flatMap(([reason, until]) => (until === null ? [] : [[reason, until]])));
};
