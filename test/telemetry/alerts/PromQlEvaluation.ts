/** Evaluates the part of PromQL that the parser knows, with the semantics of Prometheus. */
import { type Expression, meets } from "./PromQlParser.ts";

export type Labels = Readonly<Record<string, string>>;

/** A series: its labels, `__name__` among them, and its samples by time in seconds, oldest first. */
export interface Series {
  readonly labels: Labels;
  readonly samples: ReadonlyArray<readonly [time: number, value: number]>;
}

/** One element of an instant vector. */
export interface Element {
  readonly labels: Labels;
  readonly value: number;
}

type Vector = ReadonlyArray<Element>;
type Selector = Extract<Expression, { readonly _tag: "Selector" }>;

const lookbackSeconds = 300;

/** The labels without the name of the metric. */
export const withoutName = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => name !== "__name__"));

const withoutBound = (labels: Labels): Labels => {
  const { le: _, ...rest } = withoutName(labels);
  return rest;
};

/** A text by which two sets of labels are equal, whatever their order and the name of the metric. */
export const keyOf = (labels: Labels): string =>
  JSON.stringify(Object.entries(withoutName(labels)).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const only = (labels: Labels, names: ReadonlyArray<string>): Labels =>
  Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));

const matching = (all: ReadonlyArray<Series>, { matchers, name }: Selector): ReadonlyArray<Series> =>
  all.filter(({ labels }) => labels["__name__"] === name && meets(labels, matchers));

/** The elements by the labels that are kept of them. */
const grouped = (vector: Vector, kept: (labels: Labels) => Labels) =>
  [...Map.groupBy(vector, ({ labels }) => keyOf(kept(labels))).values()].map((members) => ({
    labels: kept(members[0]?.labels ?? {}),
    members,
  }));

/** `increase` of a counter, as Prometheus extrapolates it to the borders of the range. */
const increase = (samples: Series["samples"], start: number, end: number): number | null => {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 2) return null;
  let grown = last[1] - first[1];
  samples.forEach(([, value], index) => {
    const before = samples[index - 1]?.[1] ?? value;
    if (value < before) grown += before;
  });
  const sampled = last[0] - first[0];
  const average = sampled / (samples.length - 1);
  const limit = average * 1.1;
  let toStart = first[0] - start;
  if (grown > 0 && first[1] >= 0) toStart = Math.min(toStart, sampled * (first[1] / grown));
  const toEnd = end - last[0];
  const covered = sampled + (toStart < limit ? toStart : average / 2) + (toEnd < limit ? toEnd : average / 2);
  return grown * (covered / sampled);
};

const quantile = (q: number, buckets: ReadonlyArray<readonly [bound: number, count: number]>): number => {
  const sorted = buckets.toSorted(([a], [b]) => a - b);
  const total = sorted.at(-1)?.[1] ?? 0;
  if (sorted.at(-1)?.[0] !== Number.POSITIVE_INFINITY || sorted.length < 2 || total === 0) return Number.NaN;
  const rank = q * total;
  const index = sorted.findIndex(([, count]) => count >= rank);
  if (index === sorted.length - 1) return sorted[index - 1]?.[0] ?? Number.NaN;
  const [bound, count] = sorted[index] ?? [Number.NaN, 0];
  const [lower, before] = index === 0 ? [0, 0] : (sorted[index - 1] ?? [0, 0]);
  return lower + (bound - lower) * ((rank - before) / (count - before));
};

const compare: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  ">": (a, b) => a > b,
  "<": (a, b) => a < b,
  ">=": (a, b) => a >= b,
  "<=": (a, b) => a <= b,
};
const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

class Evaluation {
  readonly #series: ReadonlyArray<Series>;
  readonly #time: number;

  constructor(series: ReadonlyArray<Series>, time: number) {
    this.#series = series;
    this.#time = time;
  }

  vector(expression: Expression): Vector {
    const value = this.#of(expression);
    return typeof value === "number" ? [{ labels: {}, value }] : value;
  }

  #of(expression: Expression): Vector | number {
    switch (expression._tag) {
      case "Number":
        return expression.value;
      case "Selector":
        return this.#instant(expression);
      case "Aggregation":
        return this.#aggregate(expression.op, expression.by, this.vector(expression.of));
      case "Call":
        return this.#call(expression.name, expression.args);
      case "Binary":
        return this.#binary(expression.op, this.#of(expression.left), this.#of(expression.right));
    }
  }

  #instant(selector: Selector): Vector {
    const time = this.#time - selector.offsetSeconds;
    return matching(this.#series, selector).flatMap(({ labels, samples }) => {
      const last = samples.filter(([at]) => at <= time).at(-1);
      const isFresh = last !== undefined && last[0] > time - lookbackSeconds && !Number.isNaN(last[1]);
      return isFresh ? [{ labels, value: last[1] }] : [];
    });
  }

  #range(
    expression: Expression | undefined,
    result: (samples: Series["samples"], start: number, end: number, seconds: number) => number | null,
  ): Vector {
    if (expression?._tag !== "Selector" || expression.rangeSeconds === null)
      throw new Error("PromQL: the function needs a range");
    const seconds = expression.rangeSeconds;
    const end = this.#time - expression.offsetSeconds;
    const start = end - seconds;
    return matching(this.#series, expression).flatMap(({ labels, samples }) => {
      const within = samples.filter(([at, value]) => at >= start && at <= end && !Number.isNaN(value));
      const value = within.length === 0 ? null : result(within, start, end, seconds);
      return value === null ? [] : [{ labels: withoutName(labels), value }];
    });
  }

  #call(name: string, args: ReadonlyArray<Expression>): Vector | number {
    const [first, second] = args;
    switch (name) {
      case "time":
        return this.#time;
      case "increase":
        return this.#range(first, increase);
      case "rate":
        return this.#range(first, (samples, start, end, seconds) => {
          const grown = increase(samples, start, end);
          return grown === null ? null : grown / seconds;
        });
      case "min_over_time":
        return this.#range(first, (samples) => Math.min(...samples.map(([, value]) => value)));
      case "abs":
        return this.vector(first as Expression).map(({ labels, value }) => ({
          labels: withoutName(labels),
          value: Math.abs(value),
        }));
      case "absent": {
        if (first?._tag !== "Selector") throw new Error("PromQL: absent needs a selector");
        const equal = first.matchers.filter(({ op }) => op === "=").map(({ label, value }) => [label, value]);
        return this.#instant(first).length > 0 ? [] : [{ labels: Object.fromEntries(equal), value: 1 }];
      }
      case "histogram_quantile": {
        const q = this.#of(first as Expression) as number;
        return grouped(this.vector(second as Expression), withoutBound).map(({ labels, members }) => {
          const buckets = members.map(({ labels: { le = "" }, value }) => {
            return [le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le), value] as const;
          });
          return { labels, value: quantile(q, buckets) };
        });
      }
      default:
        throw new Error(`PromQL: no function ${name}`);
    }
  }

  #aggregate(op: string, by: ReadonlyArray<string>, vector: Vector): Vector {
    return grouped(vector, (labels) => only(labels, by)).map(({ labels, members }) => {
      const values = members.map(({ value }) => value);
      if (op === "sum") return { labels, value: values.reduce((sum, each) => sum + each, 0) };
      return { labels, value: op === "min" ? Math.min(...values) : Math.max(...values) };
    });
  }

  #binary(op: string, left: Vector | number, right: Vector | number): Vector | number {
    const calculate = arithmetic[op];
    if (typeof left === "number" && typeof right === "number") {
      if (calculate === undefined) throw new Error("PromQL: two scalars are not compared here");
      return calculate(left, right);
    }
    const vector = (value: Vector | number): Vector => (typeof value === "number" ? [] : value);
    if (op === "or" || op === "and") {
      const keys = new Set(vector(op === "or" ? left : right).map(({ labels }) => keyOf(labels)));
      return op === "and"
        ? vector(left).filter(({ labels }) => keys.has(keyOf(labels)))
        : [...vector(left), ...vector(right).filter(({ labels }) => !keys.has(keyOf(labels)))];
    }
    const isHolding = compare[op];
    const one = (element: Element, a: number, b: number): Vector => {
      if (calculate !== undefined) return [{ labels: withoutName(element.labels), value: calculate(a, b) }];
      return isHolding?.(a, b) === true ? [element] : [];
    };
    if (typeof right === "number") return vector(left).flatMap((each) => one(each, each.value, right));
    if (typeof left === "number") return right.flatMap((each) => one(each, left, each.value));
    return left.flatMap((each) => {
      const partner = right.find(({ labels }) => keyOf(labels) === keyOf(each.labels));
      return partner === undefined ? [] : one(each, each.value, partner.value);
    });
  }
}

/** The instant vector of an expression at a time, in seconds. */
export const evaluate = (expression: Expression, series: ReadonlyArray<Series>, time: number): Vector =>
  new Evaluation(series, time).vector(expression);
