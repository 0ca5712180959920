import { assert, it } from "@effect/vitest";
import {
  type CountedArm,
  type ExperimentDesign,
  experimentFigures,
} from "../../src/experiments/ExperimentFigures.ts";

const one = { id: "n1", variants: [{ key: "b", weight: 30 }] };
const other = {
  id: "n2",
  variants: [
    { key: "x", weight: 20 },
    { key: "w", weight: 20 },
  ],
};

/** The figures of a design, with the counts of arms by `notification key`. */
const figuresOf = (design: Partial<ExperimentDesign>, counts: Record<string, Partial<CountedArm>> = {}) =>
  experimentFigures({ holdout: 0, notifications: [], hasGoal: true, ...design }, (id, key) => ({
    enrolled: 0,
    delivered: 0,
    converted: 0,
    ...counts[id === null ? key : `${id} ${key}`],
  }));

it("arms are the holdout, then the variants of each notification as written, control last (U6, Z6)", () => {
  const { arms, comparisons } = figuresOf({ holdout: 10, notifications: [one, other] });
  assert.deepStrictEqual(
    arms.map(({ key, notification_id }) => [notification_id, key]),
    [
      [null, "holdout"],
      ["n1", "b"],
      ["n1", "control"],
      ["n2", "x"],
      ["n2", "w"],
      ["n2", "control"],
    ],
  );
  assert.deepStrictEqual(
    comparisons.map(({ against, key, notification_id }) => [notification_id, key, against]),
    [
      ["n1", "b", "control"],
      ["n2", "x", "control"],
      ["n2", "w", "control"],
      [null, "all", "holdout"],
    ],
  );
});

it("without variants the one arm beside the holdout is all (U6.1)", () => {
  const { arms } = figuresOf({ holdout: 10 });
  assert.deepStrictEqual(
    arms.map(({ key }) => key),
    ["holdout", "all"],
  );
});

it("without holdout and variants there is nothing (Z7)", () => {
  assert.deepStrictEqual(figuresOf({}), { arms: [], comparisons: [], sample_ratio: null });
});

it("rates have two decimals, intervals four, p-values are not rounded (U6.1, U6.2)", () => {
  const { arms, comparisons } = figuresOf(
    { holdout: 50 },
    {
      holdout: { enrolled: 4000, converted: 201 },
      all: { enrolled: 4100, converted: 390, delivered: 4095 },
    },
  );
  assert.deepStrictEqual(arms, [
    {
      notification_id: null,
      key: "holdout",
      enrolled: 4000,
      delivered: 0,
      converted: 201,
      rate: 5.03,
      interval: [4.3686, 5.7481],
    },
    {
      notification_id: null,
      key: "all",
      enrolled: 4100,
      delivered: 4095,
      converted: 390,
      rate: 9.51,
      interval: [8.6311, 10.4515],
    },
  ]);
  const [comparison] = comparisons;
  assert.isDefined(comparison);
  assert.deepStrictEqual(comparison.interval, [2.6892, 6.2852]);
  assert.deepStrictEqual([comparison.difference, comparison.significant], [4.49, true]);
  // SciPy and the formula in Python.
  assert.closeTo(comparison.p_value ?? 0, 2.05510734092622e-10, 1e-20);
  assert.closeTo(comparison.fisher_p_value ?? 0, 6.6778788212471526e-15, 1e-24);
});

it("without a goal there are counts alone (Z9)", () => {
  const { arms, comparisons, sample_ratio } = figuresOf(
    { holdout: 50, hasGoal: false },
    { holdout: { enrolled: 40 }, all: { enrolled: 44, delivered: 44 } },
  );
  assert.deepStrictEqual(
    arms.map(({ converted, enrolled, interval, rate }) => [enrolled, converted, rate, interval]),
    [
      [40, null, null, null],
      [44, null, null, null],
    ],
  );
  assert.deepStrictEqual(comparisons, [
    {
      notification_id: null,
      key: "all",
      against: "holdout",
      difference: null,
      interval: null,
      p_value: null,
      fisher_p_value: null,
      significant: false,
    },
  ]);
  assert.isTrue(sample_ratio?.ok);
});

it("an arm with nobody has no rate, and its comparison no figures (U6.1, U6.2)", () => {
  const { arms, comparisons } = figuresOf(
    { notifications: [one] },
    { "n1 control": { enrolled: 5, converted: 2 } },
  );
  assert.deepStrictEqual(
    arms.map(({ converted, interval, rate }) => [converted, rate, interval === null]),
    [
      [0, null, true],
      [2, 40, false],
    ],
  );
  const { difference, fisher_p_value, interval, p_value } = comparisons[0] ?? {};
  assert.deepStrictEqual([difference, interval, p_value, fisher_p_value], [null, null, null, null]);
});

it("while rates have no variance there is a difference, and no sequential figure (U6.1)", () => {
  const { comparisons } = figuresOf(
    { notifications: [one] },
    { "n1 b": { enrolled: 4, converted: 4 }, "n1 control": { enrolled: 5 } },
  );
  assert.deepStrictEqual(comparisons, [
    {
      notification_id: "n1",
      key: "b",
      against: "control",
      difference: 100,
      interval: null,
      p_value: null,
      fisher_p_value: comparisons[0]?.fisher_p_value ?? null,
      significant: false,
    },
  ]);
  assert.closeTo(comparisons[0]?.fisher_p_value ?? 0, 1 / 126, 1e-12);
});

it("the sample ratio adds up the chi-squareds of the holdout and of each notification (Z10)", () => {
  const design = { holdout: 20, notifications: [one, other] };
  const { sample_ratio } = figuresOf(design, {
    holdout: { enrolled: 30 },
    all: { enrolled: 70 },
    "n1 b": { enrolled: 21 },
    "n1 control": { enrolled: 49 },
  });
  // 6.25 with one degree of freedom, and 0 with another; nobody is in n2.
  assert.closeTo(sample_ratio?.p_value ?? 0, Math.exp(-6.25 / 2), 1e-12);
  assert.isTrue(sample_ratio?.ok);
  assert.deepStrictEqual(figuresOf(design).sample_ratio, { p_value: null, ok: true });
  const wrong = figuresOf(design, { holdout: { enrolled: 300 }, all: { enrolled: 700 } });
  assert.isFalse(wrong.sample_ratio?.ok);
});
