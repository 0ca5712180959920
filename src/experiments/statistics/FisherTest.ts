import { binomialDensity, sumOfTail } from "./Densities.ts";

/** Units of an arm, and how many of them converted. */
export interface ArmCounts {
  readonly enrolled: number;
  readonly converted: number;
}

/** Above so many units of both arms there is no exact test: the sequential one is as good. */
const maxUnits = 1_000_000;
/** Tables that are less likely than the observed one but for rounding count as likely, as in R. */
const tolerance = 1 + 1e-7;

/**
 * The two-sided p-value of Fisher's exact test, as R's `fisher.test`: the probability of all tables with the
 * same margins that are at most as likely as the observed one. Null above 10⁶ units, or where an arm has
 * nobody.
 */
export const fisherPValue = (a: ArmCounts, b: ArmCounts): number | null => {
  const units = a.enrolled + b.enrolled;
  if (units > maxUnits || a.enrolled === 0 || b.enrolled === 0) return null;
  const converted = a.converted + b.converted;
  const low = Math.max(0, converted - b.enrolled);
  const high = Math.min(a.enrolled, converted);
  if (low === high) return 1;

  const share = converted / units;
  const given = binomialDensity(converted, units, share);
  /** The probability that `x` of those who converted are in the first arm. */
  const density = (x: number): number =>
    (binomialDensity(x, a.enrolled, share) * binomialDensity(converted - x, b.enrolled, share)) / given;
  /** The density at `x + 1` over that at `x`. */
  const growth = (x: number): number =>
    ((a.enrolled - x) * (converted - x)) / ((x + 1) * (b.enrolled - converted + x + 1));
  const mode = Math.floor(((a.enrolled + 1) * (converted + 1)) / (units + 2));

  const observed = density(a.converted);
  const limit = observed * tolerance;
  if (density(mode) <= limit) return 1;
  /** The number of tables from the end of the support towards the mode that are at most as likely. */
  const unlikely = (at: (index: number) => number, most: number): number => {
    let [from, to] = [0, most];
    while (from < to) {
      const middle = Math.ceil((from + to) / 2);
      if (density(at(middle - 1)) <= limit) from = middle;
      else to = middle - 1;
    }
    return from;
  };
  const left = low + unlikely((index) => low + index, mode - low) - 1;
  const right = high - unlikely((index) => high - index, high - mode) + 1;
  const below = left < low ? 0 : sumOfTail(density(left), (index) => 1 / growth(left - index - 1));
  const above = right > high ? 0 : sumOfTail(density(right), (index) => growth(right + index));
  return Math.min(1, below + above);
};
