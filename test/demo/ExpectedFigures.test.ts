import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { at, Figures } from "../../src/demo/ExpectedFigures.ts";

describe("the figures of the demo", () => {
  it.effect("are counted while they are right", () =>
    Effect.gen(function* () {
      const figures = new Figures();
      yield* figures.is("delivered", 1, 1);
      yield* figures.is("the rows", [{ targets: 32 }], [{ targets: 32 }]);
      assert.strictEqual(figures.checked, 2);
    }),
  );

  it.effect("end the demo with the first wrong one, named with both values", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(new Figures().is("delivered of the summary", 2, 1));
      assert.strictEqual(message, "A figure is wrong: delivered of the summary is 2, and should be 1.");
    }),
  );

  it.effect("are wrong where the answer has none", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(
        new Figures().is("delivered", at({ data: null }, "data", "x"), 0),
      );
      assert.include(message, "delivered is undefined");
    }),
  );
});
