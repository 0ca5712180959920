/** The figures that the demo's story must come out with. */
import { Effect } from "effect";
import { isDeepStrictEqual } from "node:util";
import { DemoFailed } from "./DemoFailed.ts";

/** What lies at a path inside an answer; undefined where there is nothing. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (inner, step) =>
      typeof inner === "object" && inner !== null
        ? (inner as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );

/** A text at a path inside an answer, such as an id to go on with. */
export const textAt = (
  value: unknown,
  ...path: ReadonlyArray<string | number>
): Effect.Effect<string, DemoFailed> => {
  const found = at(value, ...path);
  return typeof found === "string"
    ? Effect.succeed(found)
    : Effect.fail(new DemoFailed({ message: `The answer has no text at ${path.join(".")}.` }));
};

/** Compares figures with what the story makes them, and counts them; the first wrong one ends the demo. */
export class Figures {
  #checked = 0;

  get checked(): number {
    return this.#checked;
  }

  /** `name` says in words which figure it is. */
  is(name: string, actual: unknown, expected: unknown): Effect.Effect<void, DemoFailed> {
    this.#checked++;
    return isDeepStrictEqual(actual, expected)
      ? Effect.void
      : Effect.fail(
          new DemoFailed({
            message: `A figure is wrong: ${name} is ${JSON.stringify(actual)}, and should be ${JSON.stringify(expected)}.`,
          }),
        );
  }
}
