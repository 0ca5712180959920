/**
 * Densities of the binomial and Poisson distributions, exact to about 13 digits for counts up to 10⁷. They
 * are computed by saddle-point expansion: C. Loader, "Fast and Accurate Computation of Binomial
 * Probabilities" (2000), as R does. Logarithms of factorials would cancel.
 */

/** ln n! less Stirling's approximation √(2πn) (n/e)ⁿ; for `n` above 0, whole or not. */
const stirlingError = (n: number): number => {
  if (n < 16) return stirlingError(n + 1) + (n + 0.5) * Math.log1p(1 / n) - 1;
  const m = n * n;
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * m)) / m) / m) / m) / n;
};

/** The deviance x ln(x / mean) + mean − x, which does not cancel where both are close. */
const deviance = (x: number, mean: number): number => {
  const difference = x - mean;
  if (Math.abs(difference) >= 0.1 * (x + mean)) return x * Math.log(x / mean) + mean - x;
  const v = difference / (x + mean);
  let term = 2 * x * v;
  let sum = difference * v;
  for (let j = 1; ; j++) {
    term *= v * v;
    const next = sum + term / (2 * j + 1);
    if (next === sum) return sum;
    sum = next;
  }
};

/** e^−mean · meanˣ / Γ(x + 1); for `x` of 0 or more, whole or not. */
export const poissonDensity = (x: number, mean: number): number =>
  x === 0 ? Math.exp(-mean) : Math.exp(-stirlingError(x) - deviance(x, mean)) / Math.sqrt(2 * Math.PI * x);

/** The probability of `x` successes in `n` trials, each with probability `p` (above 0, below 1). */
export const binomialDensity = (x: number, n: number, p: number): number => {
  if (x === 0) return Math.exp(n * Math.log1p(-p));
  if (x === n) return p ** n;
  const exponent =
    stirlingError(n) -
    stirlingError(x) -
    stirlingError(n - x) -
    deviance(x, n * p) -
    deviance(n - x, n * (1 - p));
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * x * (n - x)));
};

/**
 * The sum of `first` and the terms that follow it, each `ratio(index)` times the one before, index from 0:
 * until they no longer count. The ratios must be below 1 and must not grow.
 */
export const sumOfTail = (first: number, ratio: (index: number) => number): number => {
  let sum = first;
  let term = first;
  for (let index = 0; term > sum * 1e-17; index++) {
    term *= ratio(index);
    sum += term;
  }
  return sum;
};
