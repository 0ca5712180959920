/** A simple model of the write rules for any sequence of changes, in zones without clock changes. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Hours from UTC, by the zone's name. */
export const offsets = { UTC: 0, "Asia/Kolkata": 5.5, "Pacific/Kiritimati": 14, "Etc/GMT+12": -12 } as const;
type Zone = keyof typeof offsets;

/** A date as it is written: a day counted from the first one of the test, with or without a time. */
export interface Written {
  readonly day: number;
  readonly time: string | null;
}

export interface Draft {
  readonly name: string;
  readonly type: "geo" | "push";
  readonly timezone: Zone;
  readonly start: Written;
  readonly end: Written | null;
  readonly cap: { readonly count: boolean; readonly period: boolean };
}

/** The expected fields of a campaign. */
export interface Known {
  readonly name: string;
  readonly type: string;
  readonly timezone: Zone;
  readonly startsAt: number;
  readonly endsAt: number | null;
  readonly paused: boolean;
}

/** The fields with problems, a limit of the plan, or the campaign after the change. */
export type Verdict =
  { readonly fields: ReadonlyArray<string> } | { readonly limit: true } | { readonly is: Known };

const firstDay = Date.UTC(2026, 10, 21);

export const write = ({ day, time }: Written): string =>
  new Date(firstDay + day * DAY).toISOString().slice(0, 10) + (time === null ? "" : ` ${time}`);

const minutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

const instant = (zone: Zone, { day, time }: Written): number =>
  firstDay + day * DAY + minutes(time ?? "00:00") * 60_000 - offsets[zone] * HOUR;

const dayEnd = (zone: Zone, day: number): number => instant(zone, { day: day + 1, time: null }) - 1000;

const dayOf = (zone: Zone, at: number): number => Math.floor((at + offsets[zone] * HOUR - firstDay) / DAY);

const hasStarted = ({ startsAt, timezone, type }: Known, now: number): boolean =>
  type === "push" ? dayOf(timezone, startsAt) <= dayOf(timezone, now) : startsAt <= now;

export const statusOf = ({ endsAt, paused, startsAt }: Known, now: number): string => {
  if (endsAt !== null && now > endsAt) return "ended";
  if (paused) return "paused";
  return now < startsAt ? "scheduled" : "active";
};

export class CampaignOracle {
  readonly all = new Map<string, Known>();
  readonly #inSandbox: boolean;
  readonly #most: number;

  constructor(inSandbox: boolean, most: number) {
    this.#inSandbox = inSandbox;
    this.#most = most;
  }

  #counts(campaign: Known, now: number): boolean {
    return statusOf(campaign, now) !== "ended" && !(this.#inSandbox && campaign.paused);
  }

  #isFull(except: string | null, now: number): boolean {
    const counted = [...this.all].filter(([id, each]) => id !== except && this.#counts(each, now));
    return counted.length >= this.#most;
  }

  /** The outcome of a draft for a new campaign (null) or for an update of an existing one. */
  validate(draft: Draft, id: string | null, now: number): Verdict {
    const stored = id === null ? undefined : this.all.get(id);
    const { cap, end, name, start, timezone, type } = draft;
    const fields: Array<string> = [];
    if ([...this.all].some(([other, each]) => other !== id && each.name === name)) fields.push("name");
    if (cap.count && !cap.period) fields.push("frequency_cap_period");
    if (cap.period && !cap.count) fields.push("frequency_cap_count");
    const startsAt = instant(timezone, start);
    if (stored !== undefined && hasStarted(stored, now)) {
      const isOnlyZone = timezone !== stored.timezone && instant(stored.timezone, start) === stored.startsAt;
      if (startsAt !== stored.startsAt) fields.push(isOnlyZone ? "timezone" : "starts_at");
    } else if (start.day < dayOf(timezone, now)) fields.push("starts_at");
    let endsAt: number | null = null;
    if (type === "push") endsAt = dayEnd(timezone, start.day);
    else if (end !== null) {
      endsAt = end.time === null ? dayEnd(timezone, end.day) : instant(timezone, end);
      if (endsAt <= startsAt) fields.push("ends_at");
    }
    if (fields.length > 0) return { fields: fields.sort() };
    const is: Known = { name, type, timezone, startsAt, endsAt, paused: stored?.paused ?? false };
    const countsMore = this.#counts(is, now) && !(stored !== undefined && this.#counts(stored, now));
    return countsMore && this.#isFull(id, now) ? { limit: true } : { is };
  }

  /** The outcome of pausing or publishing an existing campaign. */
  turn(id: string, campaign: Known, paused: boolean, now: number): Verdict {
    const is = { ...campaign, paused };
    const countsMore = this.#counts(is, now) && !this.#counts(campaign, now);
    return countsMore && this.#isFull(id, now) ? { limit: true } : { is };
  }
}
