import { DAY_MS } from "../../src/time/TimeZone.ts";

// The oracle: what Intl shows at an instant, the clock changes between by halving, and otherwise only
// comparison. Local times are the milliseconds at which UTC shows them.

/** A time in which a zone's clock does not change. */
export interface Stretch {
  /** The instants from and until which the zone is so far ahead of UTC. */
  readonly from: number;
  readonly to: number;
  readonly shift: number;
}

/** The stretches of a zone between two instants and well around them. */
export const stretchesOf = (zone: string, first: number, last: number): ReadonlyArray<Stretch> => {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const shiftAt = (ms: number) => Date.parse(`${format.format(ms).replace(" ", "T")}Z`) - ms;
  const found: Array<Stretch> = [];
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

/** The first instant that shows the local time; in a gap as far behind it as was meant. */
export const shown = (stretches: ReadonlyArray<Stretch>, local: number): number => {
  for (const { from, shift, to } of stretches) {
    const at = local - shift;
    if (at >= from && at < to) return at;
    // No stretch shows what lies between its end and the beginning of the next one.
    if (at >= to && stretches.every((other) => local - other.shift < other.from || other.to <= to)) return at;
  }
  return Number.NaN;
};

/** The first instant at which the zone's clock has come as far as the beginning of a day. */
export const begun = (stretches: ReadonlyArray<Stretch>, day: number): number =>
  Math.min(
    ...stretches.map(({ from, shift, to }) => {
      const at = Math.max(from, day - shift);
      return at < to ? at : Infinity;
    }),
  );

const monday = (day: number): number => day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;
const firstOfMonth = (day: number): number =>
  Date.parse(`${new Date(day).toISOString().slice(0, 8)}01T00:00:00Z`);

/** The first instant of the calendar day, the ISO week or the month that a day lies in. */
export const periodBegun = (
  stretches: ReadonlyArray<Stretch>,
  period: "day" | "week" | "month",
  day: number,
): number => begun(stretches, { day, week: monday(day), month: firstOfMonth(day) }[period]);

/** The local day at an instant. */
export const dayAt = (stretches: ReadonlyArray<Stretch>, at: number): number => {
  const shift = stretches.find(({ to }) => at < to)?.shift ?? 0;
  return Math.floor((at + shift) / DAY_MS) * DAY_MS;
};
