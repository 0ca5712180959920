import { DAY_MS } from "../../../src/time/DayNumbers.ts";

// The oracle: Intl shows local times, bisection finds clock changes, and comparison does the rest. Local
// times are given as the milliseconds at which UTC shows them.

/** A period without clock changes in a zone. */
export interface OffsetPeriod {
  /** The instants of its start and end; `shift` is the offset from UTC in milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly shift: number;
}

/** The periods of a zone between two instants, with a margin. */
export const periodsOf = (zone: string, first: number, last: number): ReadonlyArray<OffsetPeriod> => {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const shiftAt = (ms: number) => Date.parse(`${format.format(ms).replace(" ", "T")}Z`) - ms;
  const found: Array<OffsetPeriod> = [];
  let [from, shift] = [-Infinity, shiftAt(first - 40 * DAY_MS)];
  for (let day = first - 40 * DAY_MS; day < last + 5 * DAY_MS; day += DAY_MS) {
    if (shiftAt(day + DAY_MS) === shift) continue;
    let [low, high] = [day, day + DAY_MS];
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (shiftAt(middle) === shift) low = middle;
      else high = middle;
    }
    found.push({ from, to: high, shift });
    [from, shift] = [high, shiftAt(high)];
  }
  return [...found, { from, to: Infinity, shift }];
};

/** The first instant that shows the local time; in a gap, as far behind its start as was meant. */
export const shown = (periods: ReadonlyArray<OffsetPeriod>, local: number): number => {
  for (const { from, shift, to } of periods) {
    const at = local - shift;
    if (at >= from && at < to) return at;
    // No period shows a time between its end and the start of the next one.
    if (at >= to && periods.every((other) => local - other.shift < other.from || other.to <= to)) return at;
  }
  return Number.NaN;
};

/** The first instant at which the zone's clock reaches the start of a day. */
export const begun = (periods: ReadonlyArray<OffsetPeriod>, day: number): number =>
  Math.min(
    ...periods.map(({ from, shift, to }) => {
      const at = Math.max(from, day - shift);
      return at < to ? at : Infinity;
    }),
  );

const monday = (day: number): number => day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;
const firstOfMonth = (day: number): number =>
  Date.parse(`${new Date(day).toISOString().slice(0, 8)}01T00:00:00Z`);

/** The first instant of the calendar day, ISO week or month of a day. */
export const periodBegun = (
  periods: ReadonlyArray<OffsetPeriod>,
  period: "day" | "week" | "month",
  day: number,
): number => begun(periods, { day, week: monday(day), month: firstOfMonth(day) }[period]);

/** The local day at an instant. */
export const dayAt = (periods: ReadonlyArray<OffsetPeriod>, at: number): number => {
  const shift = periods.find(({ to }) => at < to)?.shift ?? 0;
  return Math.floor((at + shift) / DAY_MS) * DAY_MS;
};

/** When the quiet hours around an instant end, on any of the days near it; null outside of them. */
export const quietEnd = (
  periods: ReadonlyArray<OffsetPeriod>,
  { from, to }: { readonly from: string; readonly to: string },
  at: number,
): number | null => {
  const local = (day: number, time: string) => shown(periods, day + Date.parse(`1970-01-01T${time}:00Z`));
  const today = dayAt(periods, at);
  const nights = [-3, -2, -1, 0, 1, 2].map((days) => {
    const day = today + days * DAY_MS;
    return [local(day, from), local(to > from ? day : day + DAY_MS, to)] as const;
  });
  let end: number | null = null;
  // Later nights that begin before the end prolong it.
  for (const [start, stop] of nights) if (start <= (end ?? at) && (end ?? at) < stop) end = stop;
  return end;
};
