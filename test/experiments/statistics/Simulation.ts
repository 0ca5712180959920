import { sequentialTest } from "../../../src/experiments/statistics/SequentialTest.ts";
import { Dice } from "../../sending/Dice.ts";

const tests = 30;
const unitsPerTest = 200;

/**
 * Simulates experiments of two arms with these rates, which are tested 30 times each, after every 200
 * units of an arm. Returns the share in which a test was significant, and the share in which every interval
 * had the true difference.
 */
export const simulate = (experiments: number, rateA: number, rateB: number) => {
  const dice = new Dice(30);
  let significant = 0;
  let covered = 0;
  for (let experiment = 0; experiment < experiments; experiment++) {
    let [a, b] = [0, 0];
    let isSignificant = false;
    let isCovered = true;
    for (let round = 1; round <= tests; round++) {
      for (let unit = 0; unit < unitsPerTest; unit++) {
        if (dice.next() < rateA) a++;
        if (dice.next() < rateB) b++;
      }
      const enrolled = round * unitsPerTest;
      const test = sequentialTest({ enrolled, converted: a }, { enrolled, converted: b });
      if (test === null) continue;
      const [low, high] = test.interval;
      isSignificant ||= test.pValue < 0.05;
      isCovered &&= low <= rateA - rateB && rateA - rateB <= high;
    }
    if (isSignificant) significant++;
    if (isCovered) covered++;
  }
  return { significant: significant / experiments, covered: covered / experiments };
};
