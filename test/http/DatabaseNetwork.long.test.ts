import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { TestDatabase } from "../database/TestDatabase.ts";
import { FaultyNetwork } from "../machines/FaultyNetwork.ts";
import { Dice } from "../sending/Dice.ts";
import { type Answer, TestWaypost } from "../TestWaypost.ts";

const overNetwork = Layer.unwrap(
  Effect.map(FaultyNetwork, ({ path }) =>
    TestWaypost.layerWith({}, TestDatabase.layerThrough(path, "4 seconds")),
  ),
).pipe(Layer.provideMerge(FaultyNetwork.layer));

const campaign = (name: string) => ({ name, type: "push", timezone: "UTC", starts_at: "2026-12-01" });

/** Every answer is a success or 503 with `Retry-After`. Gives how many are successes. */
const assertAvailableOr503 = (answers: ReadonlyArray<Answer>): number => {
  for (const { body, headers, status } of answers) {
    if (status < 300) continue;
    assert.deepStrictEqual([status, body.error.code], [503, "service_unavailable"]);
    assert.match(headers.get("retry-after") ?? "", /^\d+$/);
  }
  return answers.filter(({ status }) => status < 300).length;
};

const ready = ({ origin }: TestWaypost["Service"]) =>
  Effect.promise(() => fetch(`${origin}/health/ready`).then(({ status }) => status));

layer(overNetwork)("Requests over a faulty network to the database", (it) => {
  it.effect(
    "connections that lose every byte fail only their own requests, and new ones work " +
      "(B3.3, errors.service_unavailable)",
    () =>
      Effect.gen(function* () {
        const network = yield* FaultyNetwork;
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        yield* Effect.all(
          Array.from({ length: 30 }, () => sandbox("/campaigns")),
          { concurrency: "unbounded" },
        );
        network.muteOpen();
        const answers = yield* Effect.all(
          Array.from({ length: 30 }, () => sandbox("/campaigns")),
          { concurrency: "unbounded" },
        );
        assertAvailableOr503(answers);
        assert.strictEqual((yield* sandbox("/campaigns")).status, 200);
      }),
  );

  it.effect(
    "over a network of ten bytes a second requests get 503 and readiness fails, until it is fast again " +
      "(B3.3, running.away, running.health)",
    () =>
      Effect.gen(function* () {
        const network = yield* FaultyNetwork;
        const waypost = yield* TestWaypost;
        const { sandbox } = yield* waypost.tenant();
        assert.strictEqual((yield* sandbox("/campaigns")).status, 200);
        network.set({ trickle: 1 });
        const asks = Array.from({ length: 20 }, (_, index) =>
          index % 2 === 0 ? sandbox("/campaigns") : sandbox("/campaigns", { body: campaign(`C${index}`) }),
        );
        const answers = yield* Effect.all(asks, { concurrency: "unbounded" });
        assert.strictEqual(assertAvailableOr503(answers), 0);
        assert.strictEqual(yield* ready(waypost), 503);
        network.set({});
        const { body } = yield* Effect.repeat(sandbox("/campaigns"), {
          until: ({ status }) => status === 200,
        });
        assert.deepStrictEqual(body.data, []);
      }),
  );

  it.effect(
    "when connections are reset at random, no request is 500 and no acknowledged change is lost (B3.3, J2.1)",
    () =>
      Effect.gen(function* () {
        const network = yield* FaultyNetwork;
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        network.reset({ dice: new Dice(12), share: 0.05 });
        const answers: Array<Answer> = [];
        for (let index = 0; index < 60; index++)
          answers.push(yield* sandbox("/campaigns", { body: campaign(`Campaign ${index}`) }));
        network.reset(null);
        const created = answers.flatMap(({ body, status }) => (status === 201 ? [body.data.id] : []));
        const count = assertAvailableOr503(answers);
        assert.isAbove(count, 0);
        assert.isBelow(count, answers.length);
        const { body } = yield* sandbox("/campaigns?limit=100");
        const stored = new Set(body.data.map(({ id }: { id: string }) => id));
        for (const id of created) assert.isTrue(stored.has(id));
      }),
  );
});
