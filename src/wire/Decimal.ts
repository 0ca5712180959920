/** Exact arithmetic on decimals, as answers are sent: binary fractions miss the halves (contract M3). */

/** A decimal: `digits` divided by 10 to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const pattern = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Reads a decimal without an exponent; null for another text. */
export const parseDecimal = (text: string): Decimal | null => {
  const [, sign = "", whole, fraction = ""] = pattern.exec(text) ?? [];
  if (whole === undefined) return null;
  return { digits: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length };
};

const scaled = ({ digits, scale }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - scale);

/** The sum of decimals, each so often. */
export const sumOf = (terms: Iterable<{ readonly value: Decimal; readonly count: number }>): Decimal => {
  // The terms of each scale are added first: scaling each term would take longer than all additions.
  const sums = new Map<number, bigint>();
  for (const { count, value } of terms) {
    sums.set(value.scale, (sums.get(value.scale) ?? 0n) + value.digits * BigInt(count));
  }
  const scale = Math.max(0, ...sums.keys());
  let digits = 0n;
  for (const [from, sum] of sums) digits += scaled({ digits: sum, scale: from }, scale);
  return { digits, scale };
};

/** A decimal divided by a positive whole number, rounded once to so many decimals, half away from zero. */
export const dividedBy = ({ digits, scale }: Decimal, divisor: number, decimals: number): number => {
  const numerator = (digits < 0n ? -digits : digits) * 10n ** BigInt(decimals);
  const denominator = BigInt(divisor) * 10n ** BigInt(scale);
  const rounded = (2n * numerator + denominator) / (2n * denominator);
  const text = rounded.toString().padStart(decimals + 1, "0");
  const result = Number(`${text.slice(0, -decimals)}.${text.slice(-decimals)}`);
  // Adding 0 turns negative zero into 0.
  return (digits < 0n ? -result : result) + 0;
};

/** A part of a whole in percent: one decimal, half away from zero, 0 where the whole is 0. */
export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : dividedBy({ digits: BigInt(part) * 100n, scale: 0 }, whole, 1);
