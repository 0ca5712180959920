import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { cachedLookup } from "../../src/access/CachedLookup.ts";
import { WorkspaceChanges } from "../../src/database/WorkspaceChanges.ts";

/** A cached lookup that counts its misses, and the listener to changes of workspaces. */
const counted = Effect.gen(function* () {
  let misses = 0;
  let announce: (workspaceId: number | "all") => void = () => undefined;
  const lookUp = yield* cachedLookup(
    (found: { readonly workspaceId: number }) => found.workspaceId,
    (workspaceId: number) =>
      Effect.sync(() => {
        misses++;
        return workspaceId === 0 ? null : { workspaceId };
      }),
  ).pipe(
    Effect.provideService(WorkspaceChanges, {
      announce: () => Effect.void,
      listen: (listener) =>
        Effect.sync(() => {
          announce = listener;
        }),
    }),
  );
  return { lookUp, misses: () => misses, change: (workspaceId: number | "all") => announce(workspaceId) };
});

describe("A cached lookup", () => {
  it.effect("a result is cached for five seconds, and nothing is not cached", () =>
    Effect.gen(function* () {
      const { lookUp, misses } = yield* counted;
      yield* lookUp(1);
      yield* TestClock.adjust("4999 millis");
      assert.deepStrictEqual(yield* lookUp(1), { workspaceId: 1 });
      assert.strictEqual(misses(), 1);
      yield* TestClock.adjust("1 millis");
      yield* lookUp(1);
      assert.strictEqual(misses(), 2);
      yield* lookUp(0);
      yield* lookUp(0);
      assert.strictEqual(misses(), 4);
    }),
  );

  it.effect("a change ends what is cached of its workspace, or of all (running.several)", () =>
    Effect.gen(function* () {
      const { change, lookUp, misses } = yield* counted;
      const both = Effect.andThen(lookUp(1), lookUp(2));
      yield* both;
      change(2);
      yield* both;
      assert.strictEqual(misses(), 3);
      change("all");
      yield* both;
      assert.strictEqual(misses(), 5);
    }),
  );
});
