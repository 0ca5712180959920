import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { eventually } from "../../Eventually.ts";
import { begun, fileWorld, pagesInUse, restOf, sessions, waypostWithSpool } from "./FileWorld.ts";

/** Deliveries in more bytes than the sockets of both sides hold. */
const count = 10_000;

layer(waypostWithSpool(2_000))("Files in the spool", (it) => {
  it.effect(
    "readers that stop hold no query: their files wait in the spool, whole (running.files)",
    () =>
      Effect.gen(function* () {
        const abort = new AbortController();
        const worlds = [yield* fileWorld(count), yield* fileWorld(count)];
        const stopped = [];
        for (const { deliveries, person } of worlds)
          for (const request of [deliveries, person])
            stopped.push(yield* begun(yield* Effect.promise(() => request(abort.signal))));
        yield* eventually(Effect.map(sessions, ({ length }) => length === 0));
        assert.isAbove(yield* pagesInUse, 0);
        for (const kind of ["deliveries", "person"] as const) {
          const other = yield* fileWorld(count);
          const { first, reader } = yield* begun(yield* Effect.promise(() => other[kind]()));
          const text = Buffer.from(first ?? "").toString() + (yield* Effect.promise(() => restOf(reader)));
          if (kind === "person") assert.lengthOf(JSON.parse(text).data.messages, count);
          else assert.lengthOf(text.split("\r\n"), count + 2);
        }
        const texts = yield* Effect.forEach(stopped, ({ first, reader }) =>
          Effect.promise(async () => Buffer.from(first ?? "").toString() + (await restOf(reader))),
        );
        for (const [index, text] of texts.entries()) {
          if (index % 2 === 1) {
            assert.lengthOf(JSON.parse(text).data.messages, count);
            continue;
          }
          const again = yield* Effect.promise(async () => (await worlds[index / 2]?.deliveries())?.text());
          assert.isTrue(text === again);
        }
        assert.strictEqual(yield* pagesInUse, 0);
      }).pipe(Effect.orDie),
    120_000,
  );
});
