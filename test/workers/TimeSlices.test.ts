import { afterEach, assert, describe, it, vi } from "@effect/vitest";
import { Effect } from "effect";
import { onLongConnections } from "../../src/database/pool/LongConnections.ts";
import { noteRequest } from "../../src/database/RecentWorkspaces.ts";
import { mapSliced, timeSlices } from "../../src/workers/TimeSlices.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Every reading of the clock is a second later, so that each item is a slice. */
const slowClock = (): void => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 1_000));
};

describe("TimeSlices", () => {
  it.effect("the event loop runs one slice of all computations before it serves others", () =>
    Effect.gen(function* () {
      slowClock();
      let turn = 0;
      const count = (): void => {
        turn++;
        immediate = setImmediate(count);
      };
      let immediate = setImmediate(count);
      const slices: Array<readonly [name: string, turn: number]> = [];
      const work = (name: string) => mapSliced([1, 2, 3], () => slices.push([name, turn]));
      yield* Effect.all([work("a"), work("b"), work("c")], { concurrency: "unbounded" });
      clearImmediate(immediate);
      assert.deepStrictEqual(
        slices.map(([name]) => name),
        ["a", "b", "c", "a", "b", "c", "a", "b", "c"],
      );
      // The first slice of each begins when it is called.
      const turns = slices.slice(3).map(([, at]) => at);
      assert.strictEqual(new Set(turns).size, turns.length);
    }),
  );

  it.effect("a long read leaves the event loop to others between its slices (running.neighbours)", () =>
    Effect.gen(function* () {
      slowClock();
      const seen: Array<unknown> = [];
      vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, millis: number) => {
        seen.push(millis);
        return setImmediate(run);
      }) as never);
      yield* onLongConnections(mapSliced([1, 2, 3], () => seen.push("slice")));
      assert.deepStrictEqual(seen, ["slice", 1, "slice", 1, "slice", 1]);
    }),
  );

  it.effect(
    "beside other workspaces a computation leaves the event loop to them too (running.neighbours)",
    () =>
      Effect.gen(function* () {
        let now = 30_000;
        vi.spyOn(performance, "now").mockImplementation(() => now);
        const seen: Array<unknown> = [];
        vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, millis: number) => {
          seen.push(millis);
          return setImmediate(run);
        }) as never);
        const work = Effect.gen(function* () {
          const yieldIfLong = timeSlices(1);
          for (let slice = 0; slice < 4; slice++) {
            now += 2;
            seen.push("row");
            yield* yieldIfLong;
          }
          return seen.splice(0);
        });
        noteRequest(2);
        noteRequest(1);
        assert.deepStrictEqual(yield* work, ["row", 1, "row", 1, "row", 1, "row", 1]);
        // Alone, it has slices of three milliseconds, and no pauses.
        now += 1_000;
        assert.deepStrictEqual(yield* work, ["row", "row", "row", "row"]);
      }),
  );

  it.effect("a computation that is interrupted holds up no other one", () =>
    Effect.gen(function* () {
      slowClock();
      let count = 0;
      const endless = mapSliced(Array.from({ length: 1_000 }), () => ++count);
      yield* Effect.race(
        endless,
        mapSliced([1, 2, 3], (item) => item),
      );
      const counted = count;
      assert.deepStrictEqual(yield* mapSliced([1, 2], (item) => item), [1, 2]);
      assert.strictEqual(count, counted);
    }),
  );
});
