import fc from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Of how many random cases one runs: of each one in `long`, of every four in other projects. */
    readonly oneCaseOf: 1 | 4;
  }
}

/**
 * The seed of random inputs, the same in every run: a failure is reproducible, and no change fails by chance.
 */
export const fixedSeed = 20_261_121;

/** The number of random cases that run: all of them in `npm run test:long`, a quarter in `npm test`. */
export const cases = (all: number): number => Math.ceil(all / inject("oneCaseOf"));

/** The members of a list that run: all, or every fourth, of each next turn the ones that follow. */
export const someOf = <A>(all: ReadonlyArray<A>, turn: number): ReadonlyArray<A> =>
  all.filter((_, index) => (index + turn) % inject("oneCaseOf") === 0);

fc.configureGlobal({ seed: fixedSeed, numRuns: cases(100) });
