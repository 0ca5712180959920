/** The figures of an experiment from its counts: pure, in percent and percentage points (contract U6). */
import { dividedBy } from "../wire/Decimal.ts";
import type {
  ExperimentArm,
  ExperimentComparison,
  ExperimentDay,
  ShownExperiment,
} from "./ShownExperiment.ts";
import { chiSquaredOf, chiSquaredPValue, type Cell } from "./statistics/ChiSquared.ts";
import { clopperPearson, type Interval } from "./statistics/ClopperPearson.ts";
import { type ArmCounts, fisherPValue } from "./statistics/FisherTest.ts";
import { sequentialTest } from "./statistics/SequentialTest.ts";

/** A notification with variants; `control`, with the rest of the weights, is its last one. */
export interface SplitNotification {
  readonly id: string;
  readonly variants: ReadonlyArray<{ readonly key: string; readonly weight: number }>;
}

/** How a campaign splits people. */
export interface ExperimentDesign {
  /** Percent. */
  readonly holdout: number;
  /** In the order of their attachment. */
  readonly notifications: ReadonlyArray<SplitNotification>;
  readonly hasGoal: boolean;
}

/** The counts of an arm. */
export interface CountedArm extends ArmCounts {
  readonly delivered: number;
}

/** Finds the counts of an arm: of a notification, or of the campaign (null) `holdout` or `all`. */
export type CountsOf = (notificationId: string | null, key: string) => CountedArm;

const none: CountedArm = { enrolled: 0, delivered: 0, converted: 0 };

const percentage = (part: bigint, whole: number, decimals: number): number =>
  dividedBy({ digits: part * 100n, scale: 0 }, whole, decimals);

const shownInterval = ([low, high]: Interval): Interval => [
  Math.round(low * 1e6) / 1e4,
  // Adding 0 turns negative zero into 0.
  Math.round(high * 1e6) / 1e4 + 0,
];

const shownArm = (
  notificationId: string | null,
  key: string,
  { converted, delivered, enrolled }: CountedArm,
  hasGoal: boolean,
): ExperimentArm => {
  const isCounted = hasGoal && enrolled > 0;
  return {
    notification_id: notificationId,
    key,
    enrolled,
    delivered,
    converted: hasGoal ? converted : null,
    rate: isCounted ? percentage(BigInt(converted), enrolled, 2) : null,
    interval: isCounted ? shownInterval(clopperPearson(converted, enrolled)) : null,
  };
};

const difference = (a: ArmCounts, b: ArmCounts): number =>
  percentage(
    BigInt(a.converted) * BigInt(b.enrolled) - BigInt(b.converted) * BigInt(a.enrolled),
    a.enrolled * b.enrolled,
    2,
  );

/** The comparison of two arms. */
const compared = (
  notificationId: string | null,
  [key, a]: readonly [string, ArmCounts],
  [against, b]: readonly [string, ArmCounts],
  hasGoal: boolean,
): ExperimentComparison => {
  const test = hasGoal ? sequentialTest(a, b) : null;
  return {
    notification_id: notificationId,
    key,
    against,
    difference: hasGoal && a.enrolled > 0 && b.enrolled > 0 ? difference(a, b) : null,
    interval: test && shownInterval(test.interval),
    p_value: test && test.pValue,
    fisher_p_value: hasGoal ? fisherPValue(a, b) : null,
    significant: test !== null && test.pValue < 0.05,
  };
};

/** The variants of a notification with their weights, `control` last. */
const cellsOf = ({ variants }: SplitNotification) => [
  ...variants,
  { key: "control", weight: 100 - variants.reduce((sum, { weight }) => sum + weight, 0) },
];

/** Whether there is an experiment. */
export const isExperiment = ({ holdout, notifications }: Omit<ExperimentDesign, "hasGoal">): boolean =>
  holdout > 0 || notifications.length > 0;

/** Whether people are split as they should be (contract Z10): the holdout, and each notification's arms. */
export const sampleRatio = (
  { holdout, notifications }: Omit<ExperimentDesign, "hasGoal">,
  enrolled: (notificationId: string | null, key: string) => number,
): NonNullable<ShownExperiment["sample_ratio"]> => {
  const held: ReadonlyArray<Cell> = [
    { enrolled: enrolled(null, "holdout"), weight: holdout },
    { enrolled: enrolled(null, "all"), weight: 100 - holdout },
  ];
  const parts = [
    ...(holdout > 0 ? [held] : []),
    ...notifications.map((notification) =>
      cellsOf(notification).map(({ key, weight }) => ({ enrolled: enrolled(notification.id, key), weight })),
    ),
  ].map(chiSquaredOf);
  const pValue = chiSquaredPValue({
    statistic: parts.reduce((sum, { statistic }) => sum + statistic, 0),
    freedom: parts.reduce((sum, { freedom }) => sum + freedom, 0),
  });
  return { p_value: pValue, ok: pValue === null || pValue >= 0.001 };
};

/** The arms that an experiment shows, in their order. */
const armsOf = ({
  holdout,
  notifications,
}: ExperimentDesign): ReadonlyArray<readonly [string | null, string]> =>
  !isExperiment({ holdout, notifications })
    ? []
    : [
        ...(holdout > 0 ? [[null, "holdout"] as const] : []),
        ...(notifications.length === 0 ? [[null, "all"] as const] : []),
        ...notifications.flatMap((each) => cellsOf(each).map(({ key }) => [each.id, key] as const)),
      ];

/**
 * The arms at the end of each day since the first enrolment, until the last day on which anything happened.
 * `countsOf` finds the counts of a day of `dates` (from 0).
 */
export const experimentDays = (
  design: ExperimentDesign,
  dates: ReadonlyArray<string>,
  countsOf: (day: number, ...arm: Parameters<CountsOf>) => ArmCounts | undefined,
): ReadonlyArray<ExperimentDay> => {
  const arms = armsOf(design);
  const isBusy = (_date: string, day: number) => arms.some((arm) => countsOf(day, ...arm) !== undefined);
  const [first, last] = [dates.findIndex(isBusy), dates.findLastIndex(isBusy)];
  const shown = arms.map(([id, key]) => shownArm(id, key, { ...none }, design.hasGoal));
  const sums = arms.map(() => ({ ...none }));
  return (first < 0 ? [] : dates.slice(first, last + 1)).flatMap((date, index) =>
    arms.map(([id, key], at) => {
      const [counts, sum] = [countsOf(first + index, id, key), sums[at] ?? none];
      if (counts !== undefined) {
        sums[at] = {
          ...none,
          enrolled: sum.enrolled + counts.enrolled,
          converted: sum.converted + counts.converted,
        };
        shown[at] = shownArm(id, key, sums[at], design.hasGoal);
      }
      const { delivered: _, ...arm } = shown[at] ?? shownArm(id, key, none, design.hasGoal);
      return { date, ...arm };
    }),
  );
};

/** The arms, comparisons and sample ratio of an experiment; nothing without one. */
export const experimentFigures = (
  design: ExperimentDesign,
  countsOf: CountsOf,
): Pick<ShownExperiment, "arms" | "comparisons" | "sample_ratio"> => {
  if (!isExperiment(design)) return { arms: [], comparisons: [], sample_ratio: null };
  const { hasGoal, holdout, notifications } = design;
  const against = (id: string | null, key: string, other: string) =>
    compared(id, [key, countsOf(id, key)], [other, countsOf(id, other)], hasGoal);
  return {
    arms: armsOf(design).map(([id, key]) => shownArm(id, key, countsOf(id, key), hasGoal)),
    comparisons: [
      ...notifications.flatMap(({ id, variants }) => variants.map(({ key }) => against(id, key, "control"))),
      ...(holdout > 0 ? [against(null, "all", "holdout")] : []),
    ],
    sample_ratio: sampleRatio(design, (id, key) => countsOf(id, key).enrolled),
  };
};
