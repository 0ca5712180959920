import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { at, ExpectedFigures } from "../../src/demo/ExpectedFigures.ts";

describe("the expected figures of the demo", () => {
  it.effect("right figures are counted", () =>
    Effect.gen(function* () {
      const figures = new ExpectedFigures();
      yield* figures.check("delivered", 1, 1);
      yield* figures.check("the rows", [{ targets: 32 }], [{ targets: 32 }]);
      assert.strictEqual(figures.checked, 2);
    }),
  );

  it.effect("the first wrong figure ends the demo and is named with both values", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(new ExpectedFigures().check("delivered of the summary", 2, 1));
      assert.strictEqual(message, "A figure is wrong: delivered of the summary is 2, but should be 1.");
    }),
  );

  it.effect("a figure that the response lacks is wrong", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(
        new ExpectedFigures().check("delivered", at({ data: null }, "data", "x"), 0),
      );
      assert.include(message, "delivered is undefined");
    }),
  );
});
