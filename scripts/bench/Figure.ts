/** A figure that a bench states. */
export interface Stated {
  /** Unique within its bench; `docs/benchmarks.json` has `<bench>.<id>`. */
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  /** Null where an early measurement recorded only the ratio. */
  readonly value: number | null;
  readonly baseline?: string;
  readonly baselineValue?: number;
  /** Of the value to that of the baseline, the median of the rounds. */
  readonly ratio?: number;
  /** The least and the greatest of the rounds: of the ratio, or of the value if there is no baseline. */
  readonly spread?: readonly [least: number, greatest: number];
  /** The bar of the ratio, or of the value if there is no baseline. */
  readonly atMost?: number;
  readonly atLeast?: number;
  /** The bar of the value besides. */
  readonly valueAtMost?: number;
  readonly valueAtLeast?: number;
}

/** A figure with the record of its measurement. */
export interface Row extends Stated {
  /** The day, such as `2026-11-29`. */
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  /** Cores that other work used; null if nobody noted it. */
  readonly load: number | null;
  /** The hash of the git tree of each path of `src/` that was measured. */
  readonly source: Readonly<Record<string, string>>;
}

/** A number with about three digits, or all before the point. */
export const numberOf = (value: number): string => {
  const digits = [100, 10, 0.1].findIndex((least) => Math.abs(value) >= least);
  return value.toLocaleString("en-US", { maximumFractionDigits: digits < 0 ? 4 : digits });
};

/** A value with its unit. */
export const quantityOf = (value: number, unit: string): string =>
  `${numberOf(value)}${unit === "" ? "" : ` ${unit}`}`;

/** Whether a figure misses a bar. */
export const isMissed = ({ atLeast, atMost, ratio, value, valueAtLeast, valueAtMost }: Stated): boolean =>
  !isWithin(ratio ?? value, atLeast, atMost) || !isWithin(value, valueAtLeast, valueAtMost);

const isWithin = (value: number | null, least = -Infinity, most = Infinity): boolean =>
  value === null || (value >= least && value <= most);

/** The bars of a figure in words; empty for none. */
export const barOf = (stated: Stated): string => {
  const { atLeast, atMost, ratio, unit, valueAtLeast, valueAtMost } = stated;
  const ownUnit = ratio === undefined ? unit : "";
  const bars = [
    ["at most", atMost, ownUnit],
    ["at least", atLeast, ownUnit],
    ["at most", valueAtMost, unit],
    ["at least", valueAtLeast, unit],
  ] as const;
  const words = bars.flatMap(([side, bar, of]) =>
    bar === undefined ? [] : [`${side} ${quantityOf(bar, of)}`],
  );
  return [...words, ...(isMissed(stated) ? ["**missed**"] : [])].join(", ");
};

/** The spread of a figure; empty for a single round. */
export const spreadOf = ({ spread }: Stated): string =>
  spread === undefined ? "" : `${numberOf(spread[0])} to ${numberOf(spread[1])}`;

/** A figure as one line of a terminal. */
export const figureLine = (stated: Stated): string => {
  const { baseline, baselineValue, id, ratio, unit, value, what } = stated;
  const parts = [
    ratio === undefined ? "" : `ratio ${numberOf(ratio)}`,
    spreadOf(stated),
    barOf(stated).replaceAll("*", ""),
    baseline === undefined ? "" : `${baseline}: ${quantityOf(baselineValue ?? Number.NaN, unit)}`,
  ].filter((part) => part !== "");
  const more = parts.length === 0 ? "" : ` (${parts.join("; ")})`;
  return `${id.padEnd(20)} ${quantityOf(value ?? Number.NaN, unit)}${more}  ${what}`;
};
