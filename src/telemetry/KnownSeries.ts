import { Effect, Metric } from "effect";

type AnyMetric = Metric.Metric<number, unknown>;

/** The series that this program declares. Modules add to it while they load, and nothing reads it before. */
const known: Array<AnyMetric> = [];

const combinations = (
  labels: Readonly<Record<string, ReadonlyArray<string>>>,
): ReadonlyArray<Readonly<Record<string, string>>> =>
  Object.entries(labels).reduce<ReadonlyArray<Readonly<Record<string, string>>>>(
    (partial, [name, values]) =>
      partial.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{}],
  );

/**
 * Declares the series of a counter or a histogram, by every combination of its label values, and returns the
 * metric. A process has them from the start, with 0. Otherwise a series would appear with its first failure,
 * and an alert on its increase would miss that one.
 */
export const knownSeries = <M extends AnyMetric>(
  metric: M,
  ...alternatives: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
): M => {
  for (const labels of alternatives.length === 0 ? [{}] : alternatives)
    for (const attributes of combinations(labels)) known.push(Metric.withAttributes(metric, attributes));
  return metric;
};

/**
 * Declares a counter with its series by every combination of its label values, and returns the function that
 * adds to one of them: 1, or a number.
 */
export const counter = <const Labels extends Readonly<Record<string, ReadonlyArray<string>>>>(
  name: string,
  description: string,
  labels: Labels,
) => {
  const metric = knownSeries(Metric.counter(name, { description, incremental: true }), labels);
  const names = Object.keys(labels);
  const series = new Map<string, AnyMetric>();
  return (
    values: { readonly [name in keyof Labels]: Labels[name][number] },
    count = 1,
  ): Effect.Effect<void> => {
    const key = names.map((label) => values[label]).join();
    let counted = series.get(key);
    if (counted === undefined) series.set(key, (counted = Metric.withAttributes(metric, values)));
    return Metric.update(counted, count);
  };
};

/** Creates all declared series in this process. Reading a metric creates it. */
export const startKnownSeries: Effect.Effect<void> = Effect.suspend(() =>
  Effect.forEach(known, Metric.value, { discard: true }),
);
