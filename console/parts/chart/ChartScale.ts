/** The arithmetic of charts. */

/** Round values from 0 to at least `max`, about `count` of them. Counts have whole values only. */
export const niceTicks = (max: number, count = 4): ReadonlyArray<number> => {
  const rough = Math.max(max, 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power);
  const whole = Number.isInteger(step) ? step : Math.ceil(step);
  return Array.from({ length: Math.ceil(Math.max(max, 1) / whole) + 1 }, (_, index) => index * whole);
};

/** The indexes of about `count` labels among `length` equally spaced points, the last one included. */
export const labelIndexes = (length: number, count: number): ReadonlySet<number> => {
  const step = Math.max(1, Math.ceil(length / Math.max(1, count)));
  const indexes = new Set<number>();
  for (let index = length - 1; index >= 0; index -= step) indexes.add(index);
  return indexes;
};
