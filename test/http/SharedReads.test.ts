import { assert, it } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import type { HttpServerResponse } from "effect/http";
import { sharedReads } from "../../src/http/SharedReads.ts";

const textOf = ({ body }: HttpServerResponse.HttpServerResponse): string =>
  body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : assert.fail(`A ${body._tag} body`);

/** Reads of a counter that wait until they may end. Each gives its number. */
const heldReads = Effect.gen(function* () {
  const share = yield* sharedReads<{ readonly n: number }, string>();
  const holds: Array<Deferred.Deferred<void, string>> = [];
  const read = Effect.gen(function* () {
    const hold = yield* Deferred.make<void, string>();
    const n = holds.push(hold);
    yield* Deferred.await(hold);
    return { n };
  });
  const request = (key: string) =>
    Effect.forkChild(Effect.map(share({ key, read }), textOf), { startImmediately: true });
  /** Waits until so many reads have begun. */
  const begun = (count: number): Effect.Effect<void> =>
    Effect.suspend(() =>
      holds.length >= count ? Effect.void : Effect.andThen(Effect.yieldNow, begun(count)),
    );
  const end = (n: number) => Deferred.succeed(holds[n - 1] ?? assert.fail("No such read"), undefined);
  const fail = (n: number) => Deferred.fail(holds[n - 1] ?? assert.fail("No such read"), "no");
  return { begun, end, fail, holds, request };
});

it.effect("requests that come while a read runs share the next one, and none that began before", () =>
  Effect.gen(function* () {
    const { begun, end, holds, request } = yield* heldReads;
    const first = yield* request("a");
    yield* begun(1);
    const later = yield* Effect.replicateEffect(request("a"), 3);
    const other = yield* request("b");
    yield* begun(2);
    yield* end(2);
    assert.strictEqual(yield* Fiber.join(other), '{"n":2}');
    yield* end(1);
    assert.strictEqual(yield* Fiber.join(first), '{"n":1}');
    yield* begun(3);
    yield* end(3);
    assert.deepStrictEqual(
      yield* Effect.forEach(later, Fiber.join),
      later.map(() => '{"n":3}'),
    );
    assert.lengthOf(holds, 3);
  }),
);

it.effect("a read that fails fails the requests that share it, and not the next ones", () =>
  Effect.gen(function* () {
    const { begun, end, fail, request } = yield* heldReads;
    const first = yield* request("a");
    yield* begun(1);
    const second = yield* request("a");
    yield* fail(1);
    assert.strictEqual(yield* Effect.flip(Fiber.join(first)), "no");
    yield* begun(2);
    yield* end(2);
    assert.strictEqual(yield* Fiber.join(second), '{"n":2}');
  }),
);
