import { Effect } from "effect";
import { isDeepStrictEqual } from "node:util";
import { type DemoFailed, failed } from "./DemoFailed.ts";

/** The value at a path inside a JSON value; undefined if there is none. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (inner, step) =>
      typeof inner === "object" && inner !== null
        ? (inner as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );

/** Compares figures with the expected ones and counts them. The first wrong figure ends the demo. */
export class ExpectedFigures {
  #checked = 0;

  /** The number of figures compared so far. */
  get checked(): number {
    return this.#checked;
  }

  /** Compares one figure. `name` describes it in words. */
  check(name: string, actual: unknown, expected: unknown): Effect.Effect<void, DemoFailed> {
    this.#checked++;
    if (isDeepStrictEqual(actual, expected)) return Effect.void;
    const values = `${JSON.stringify(actual)}, but should be ${JSON.stringify(expected)}`;
    return Effect.fail(failed(`A figure is wrong: ${name} is ${values}.`));
  }
}
