/**
 * Sends at a local time (contract P3): each device gets the message at a time of the campaign's day by its
 * own time zone. Instants are epoch milliseconds.
 */
import { dateAt, instantAt, type TimeOfDay, type WallTime, wallParts } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";

/** The choice for zones where the time has passed when the send is planned: send at once, or skip. */
export type LateChoice = "send" | "skip";

/** The start of a campaign, whose day is that in its zone. */
interface CampaignStart {
  readonly startsAt: number;
  readonly timezone: TimeZoneName;
}

/** A planned send at a local time. */
export interface LocalPlan {
  /** The time and the day at which each zone's devices get it. */
  readonly localAt: WallTime;
  readonly late: LateChoice;
  readonly plannedAt: number;
  /** When a worker checks for parts next. */
  readonly nextAt: number;
}

const HOUR_MS = 3_600_000;
const quarterMillis = HOUR_MS / 4;

/** The local time of a send on the campaign's day. */
export const localTimeOf = ({ startsAt, timezone }: CampaignStart, sendAt: TimeOfDay): WallTime =>
  `${dateAt(timezone, startsAt)} ${sendAt}` as WallTime;

const utcOf = (localAt: WallTime): number => Date.parse(`${localAt.replace(" ", "T")}:00Z`);

/** The earliest instant at which any zone shows the time: that of UTC+14. */
export const firstInstantOf = (localAt: WallTime): number => utcOf(localAt) - 14 * HOUR_MS;

/** The last instant at which any zone shows the time: that of UTC-12. */
export const lastInstantOf = (localAt: WallTime): number => utcOf(localAt) + 12 * HOUR_MS;

/** The instant of the time in a zone (contract E1). */
export const localInstant = (zone: TimeZoneName, localAt: WallTime): number => {
  const { date, time } = wallParts(localAt);
  return instantAt(zone, date, time ?? ("00:00" as TimeOfDay));
};

/**
 * The next instant after `now` at which some zone may show the time; null after the last one. Offsets are
 * multiples of a quarter of an hour.
 */
export const nextCheck = (localAt: WallTime, now: number): number | null => {
  const first = firstInstantOf(localAt);
  if (now < first) return first;
  const next = first + (Math.floor((now - first) / quarterMillis) + 1) * quarterMillis;
  return next > lastInstantOf(localAt) ? null : next;
};

/** Plans a send at a local time of the campaign's day. */
export const localPlan = (
  campaign: CampaignStart,
  sendAt: TimeOfDay,
  late: LateChoice,
  now: number,
): LocalPlan => {
  const localAt = localTimeOf(campaign, sendAt);
  return { localAt, late, plannedAt: now, nextAt: firstInstantOf(localAt) };
};
