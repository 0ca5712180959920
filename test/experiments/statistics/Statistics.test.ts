import { assert, it } from "@effect/vitest";
import { chiSquaredOf, chiSquaredPValue } from "../../../src/experiments/statistics/ChiSquared.ts";
import { clopperPearson } from "../../../src/experiments/statistics/ClopperPearson.ts";
import { fisherPValue } from "../../../src/experiments/statistics/FisherTest.ts";
import { sequentialTest } from "../../../src/experiments/statistics/SequentialTest.ts";
import { Draw, isClose, recorded, tables } from "./Reference.ts";

/** Inputs of tables whose figures are not those recorded. */
const differing = <A>(
  seed: number,
  draw: (draw: Draw) => A,
  figures: (input: A) => ReadonlyArray<number>,
  expected: ReadonlyArray<number>,
): ReadonlyArray<unknown> => {
  const inputs = new Draw(seed);
  return Array.from({ length: tables }, (_, index) => {
    const input = draw(inputs);
    const values = figures(input);
    const known = expected.slice(index * values.length, (index + 1) * values.length);
    return values.every((value, at) => isClose(value, known[at] ?? NaN)) ? [] : [{ input, values, known }];
  }).flat();
};

it("10,000 Clopper-Pearson intervals are those of SciPy (U6.2)", () => {
  const figures = ({ converted, enrolled }: { readonly converted: number; readonly enrolled: number }) =>
    clopperPearson(converted, enrolled);
  assert.deepStrictEqual(
    differing(1, (draw) => draw.share(24), figures, recorded.clopperPearson),
    [],
  );
});

it("10,000 p-values of Fisher's test are those of R's rule (U6.2)", () => {
  const figures = ([a, b]: ReturnType<Draw["arms"]>) => [fisherPValue(a, b) ?? -1];
  assert.deepStrictEqual(
    differing(2, (draw) => draw.arms(18), figures, recorded.fisher),
    [],
  );
});

it("10,000 p-values of chi-squared statistics are those of SciPy (U6.2)", () => {
  const draw = (from: Draw) => ({
    freedom: 1 + from.below(24),
    statistic: from.below(from.sized(18)) / 1000,
  });
  assert.deepStrictEqual(
    differing(3, draw, (input) => [chiSquaredPValue(input) ?? -1], recorded.chiSquared),
    [],
  );
});

it("10,000 sequential p-values and intervals are those of the formula in Python (U6.2)", () => {
  const figures = ([a, b]: ReturnType<Draw["arms"]>) => {
    const test = sequentialTest(a, b);
    if (test === null) return [-1, -1];
    const [low, high] = test.interval;
    return [test.pValue, (high - low) / 2];
  };
  assert.deepStrictEqual(
    differing(4, (draw) => draw.arms(23), figures, recorded.sequential),
    [],
  );
});

it("an arm with nobody, and over a million units, have no Fisher test (U6.2)", () => {
  const some = { enrolled: 10, converted: 3 };
  assert.isNull(fisherPValue({ enrolled: 0, converted: 0 }, some));
  assert.isNull(fisherPValue(some, { enrolled: 999_991, converted: 3 }));
  assert.isNotNull(fisherPValue(some, { enrolled: 999_990, converted: 3 }));
});

it("there is no sequential test while nobody or everybody has converted (U6.2)", () => {
  const all = { enrolled: 5, converted: 5 };
  assert.isNull(sequentialTest(all, { enrolled: 9, converted: 0 }));
  assert.isNull(sequentialTest(all, { enrolled: 0, converted: 0 }));
});

it("a split has a chi-squared by its weights, and none while nobody is enrolled (Z10)", () => {
  const split = chiSquaredOf([
    { enrolled: 30, weight: 20 },
    { enrolled: 70, weight: 80 },
  ]);
  assert.deepStrictEqual(split, { statistic: 6.25, freedom: 1 });
  assert.closeTo(chiSquaredPValue(split) ?? 0, 0.012419330651552318, 1e-15);
  const nobody = chiSquaredOf([{ enrolled: 0, weight: 1 }]);
  assert.isNull(chiSquaredPValue(nobody));
});
