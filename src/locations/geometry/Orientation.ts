/**
 * On which side of the directed line a → b the point p lies: positive = left, negative = right, 0 = exactly on it.
 *
 * The sign is exact for all doubles whose magnitude is 0 or within 1e-100 … 1e100, so a sweep that is built on it cannot
 * contradict itself. A plain determinant is tried first and trusted beyond its rounding bound (J. R. Shewchuk, "Adaptive
 * Precision Floating-Point Arithmetic", 1997); the rest is summed without rounding.
 */
export const orientation = (
  ax: number,
  ay: number,
  bx: number,
  by: number,
  px: number,
  py: number,
): number => {
  const left = (ax - px) * (by - py);
  const right = (ay - py) * (bx - px);
  const determinant = left - right;
  const bound = ROUNDING * (Math.abs(left) + Math.abs(right));
  return Math.abs(determinant) >= bound ? determinant : exactOrientation(ax, ay, bx, by, px, py);
};

/** (3 + 16ε)ε with ε = 2^-53: how far rounding can push the plain determinant, relative to its two products. */
const ROUNDING = 3.3306690738754716e-16;

/** 2^27 + 1 cuts a double into two halves whose products are exact. */
const SPLITTER = 134217729;

/** The exact running sum, as parts that do not overlap, smallest first: its last part that is not 0 has its sign. */
const parts = new Float64Array(12);

const exactOrientation = (ax: number, ay: number, bx: number, by: number, px: number, py: number): number => {
  parts.fill(0);
  addProduct(0, ax, by);
  addProduct(2, -ay, bx);
  addProduct(4, bx, py);
  addProduct(6, -by, px);
  addProduct(8, px, ay);
  addProduct(10, -py, ax);
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i] ?? 0;
    if (part !== 0) return part;
  }
  return 0;
};

const addProduct = (count: number, a: number, b: number): void => {
  const product = a * b;
  const aBig = SPLITTER * a;
  const aHigh = aBig - (aBig - a);
  const aLow = a - aHigh;
  const bBig = SPLITTER * b;
  const bHigh = bBig - (bBig - b);
  const bLow = b - bHigh;
  const error = aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
  addPart(count, error);
  addPart(count + 1, product);
};

const addPart = (count: number, value: number): void => {
  let carry = value;
  for (let i = 0; i < count; i++) {
    const part = parts[i] ?? 0;
    const sum = carry + part;
    const virtual = sum - carry;
    parts[i] = carry - (sum - virtual) + (part - virtual);
    carry = sum;
  }
  parts[count] = carry;
};
