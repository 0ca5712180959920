import { binomialDensity, sumOfTail } from "./Densities.ts";

/** An interval of shares: 0 to 1. */
export type Interval = readonly [low: number, high: number];

/** The probability that each end of the interval misses the share. */
const missed = 0.025;

/** The share with which `converted` of `units` or more have the probability `missed`; by Newton's method. */
const lowerEnd = (converted: number, units: number): number => {
  if (converted === 0) return 0;
  if (converted === units) return missed ** (1 / units);
  const share = converted / units;
  // Wilson's interval is close.
  const z2 = 1.96 ** 2;
  const spread = Math.sqrt(z2 * (share * (1 - share) + z2 / (4 * units)) * units);
  let p = (converted + z2 / 2 - spread) / (units + z2);
  for (let step = 0; step < 50; step++) {
    const density = binomialDensity(converted, units, p);
    const odds = p / (1 - p);
    const tail = sumOfTail(
      density,
      (index) => ((units - converted - index) / (converted + 1 + index)) * odds,
    );
    // In the logarithm the tail is nearly a straight line of p.
    const change = (Math.log(tail / missed) * tail * p) / (converted * density);
    p = Math.max(p / 4, p - change);
    if (Math.abs(change) < 1e-14 * p) break;
  }
  return p;
};

/**
 * The exact 95 % interval of a share of `units` (at least 1), each of which converts or not: C. Clopper and
 * E. Pearson, "The Use of Confidence or Fiducial Limits" (1934).
 */
export const clopperPearson = (converted: number, units: number): Interval => [
  lowerEnd(converted, units),
  1 - lowerEnd(units - converted, units),
];
