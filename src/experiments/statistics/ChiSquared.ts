import { poissonDensity, sumOfTail } from "./Densities.ts";

/** Units of the cells of a split, and the weights that they should have. */
export interface Cell {
  readonly enrolled: number;
  readonly weight: number;
}

/** A chi-squared statistic and its degrees of freedom. */
export interface ChiSquared {
  readonly statistic: number;
  readonly freedom: number;
}

/** How far the units of cells are from their weights; nothing where nobody is enrolled. */
export const chiSquaredOf = (cells: ReadonlyArray<Cell>): ChiSquared => {
  const units = cells.reduce((sum, { enrolled }) => sum + enrolled, 0);
  const weights = cells.reduce((sum, { weight }) => sum + weight, 0);
  if (units === 0) return { statistic: 0, freedom: 0 };
  const statistic = cells.reduce((sum, { enrolled, weight }) => {
    const expected = (units * weight) / weights;
    return sum + (enrolled - expected) ** 2 / expected;
  }, 0);
  return { statistic, freedom: cells.length - 1 };
};

/** Γ(a, x) / Γ(a), for x from a + 1 up: Legendre's continued fraction, by Lentz's method. */
const upperGamma = (a: number, x: number): number => {
  let b = x + 1 - a;
  let c = Infinity;
  let d = 1 / b;
  let product = d;
  for (let index = 1; index < 1000; index++) {
    const numerator = index * (a - index);
    b += 2;
    d = 1 / (b + numerator * d);
    c = b + numerator / c;
    product *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return poissonDensity(a, x) * a * product;
};

/** The probability of a chi-squared statistic at least as large; null without degrees of freedom. */
export const chiSquaredPValue = ({ freedom, statistic }: ChiSquared): number | null => {
  if (freedom === 0) return null;
  if (statistic === 0) return 1;
  const a = freedom / 2;
  const x = statistic / 2;
  return x < a + 1 ? 1 - sumOfTail(poissonDensity(a, x), (index) => x / (a + 1 + index)) : upperGamma(a, x);
};
