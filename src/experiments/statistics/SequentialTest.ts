import type { ArmCounts } from "./FisherTest.ts";
import type { Interval } from "./ClopperPearson.ts";

/** The variance of the differences that are expected: 1 percentage point, squared. */
const tau2 = 0.0001;

/** A comparison that is valid however often it is made. Shares, not percentage points. */
export interface Sequential {
  readonly pValue: number;
  readonly interval: Interval;
}

/**
 * The mixture sequential probability ratio test of the difference of two shares: H. Robbins, "Statistical
 * Methods Related to the Law of the Iterated Logarithm" (1970), and R. Johari, P. Koomen, L. Pekelis and
 * D. Walsh, "Always Valid Inference" (2022). Null while the variance is 0 or an arm has nobody.
 */
export const sequentialTest = (a: ArmCounts, b: ArmCounts): Sequential | null => {
  if (a.enrolled === 0 || b.enrolled === 0) return null;
  const shareA = a.converted / a.enrolled;
  const shareB = b.converted / b.enrolled;
  const variance = (shareA * (1 - shareA)) / a.enrolled + (shareB * (1 - shareB)) / b.enrolled;
  if (variance === 0) return null;
  const difference = shareA - shareB;
  const total = variance + tau2;
  const evidence = (difference ** 2 * tau2) / (2 * variance * total) + Math.log(variance / total) / 2;
  const half = Math.sqrt(((variance * total) / tau2) * (2 * Math.log(20) + Math.log(total / variance)));
  return {
    pValue: Math.min(1, Math.exp(-evidence)),
    interval: [difference - half, difference + half],
  };
};
