import { readFileSync } from "node:fs";
import { Dice } from "../../sending/Dice.ts";

/** Figures of each statistic that `reference.py` has recorded. */
export const tables = 10_000;

const bytes = readFileSync(new URL("reference.bin", import.meta.url));

/** The recorded numbers from one on: the first five bytes of each double. */
const numbers = (from: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => {
    const double = Buffer.alloc(8);
    bytes.copy(double, 0, (from + index) * 5, (from + index + 1) * 5);
    return double.readDoubleBE();
  });

/** Recorded numbers of each table. */
export const recorded = {
  clopperPearson: numbers(0, 2 * tables),
  fisher: numbers(2 * tables, tables),
  chiSquared: numbers(3 * tables, tables),
  sequential: numbers(4 * tables, 2 * tables),
};

/** Whether two numbers agree as far as one is recorded. */
export const isClose = (value: number, expected: number): boolean =>
  Math.abs(value - expected) <= Math.max(Math.abs(expected) * 5e-9, 1e-300);

/** Draws the inputs of the tables, as `Draw` of `reference.py`. */
export class Draw {
  readonly #dice: Dice;
  constructor(seed: number) {
    this.#dice = new Dice(seed);
  }
  below = (limit: number): number => this.#dice.below(limit);
  sized = (bits: number): number => 1 + this.below(2 ** (1 + this.below(bits)));
  share(bits: number) {
    const enrolled = this.sized(bits);
    const isFew = this.below(2) === 0;
    return { enrolled, converted: isFew ? Math.min(enrolled, this.below(30)) : this.below(enrolled + 1) };
  }
  arms(bits: number) {
    const first = this.share(bits);
    const others = this.sized(bits);
    const about = Math.floor((first.converted * others) / first.enrolled);
    const spread = 2 ** Math.floor((32 - Math.clz32(others)) / 2);
    const converted = Math.min(others, Math.max(0, about + this.below(2 * spread + 1) - spread));
    return [first, { enrolled: others, converted }] as const;
  }
}
