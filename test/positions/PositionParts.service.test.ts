import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { EventBounds } from "../../src/events/EventParts.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { smallBounds } from "../events/EventWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { dam, damWorld, northOf } from "./PositionWorld.ts";

/** The milliseconds that each reading of the clock of requests takes. */
const pace = { millis: 0 };
const bounds = { ...smallBounds(pace), answerMessages: 1_000 };
const waypost = TestWaypost.layer.pipe(Layer.provide(Layer.succeed(EventBounds, bounds)));
const street = northOf(dam, 50_000);

/** A store whose enters fire so many messages, and a device that goes in and out. */
const store = (messages: number) =>
  Effect.gen(function* () {
    const { location, phone, production } = yield* damWorld();
    const campaign = yield* production.campaign({ location_ids: [location] });
    for (let index = 0; index < messages; index++)
      yield* production.notification(campaign, { headline: `Hello ${index}` });
    const now = Date.parse(yield* fromNow(-60_000));
    /** Positions a second apart: in, out, in again. */
    const visits = (count: number) =>
      Array.from({ length: count }, (_, index) => {
        const [longitude, latitude] = index % 2 === 0 ? dam : street;
        return { latitude, longitude, recorded_at: new Date(now + index * 1_000).toISOString() };
      });
    return { phone, visits };
  });

layer(waypost)("Positions that make many messages", (it) => {
  it.effect("are followed in transactions of bounded messages, all of a request (TR1)", () =>
    Effect.gen(function* () {
      pace.millis = 0;
      const { phone, visits } = yield* store(2);
      const { deliveries, moves, ...answer } = yield* phone.reports(visits(9));
      assert.deepStrictEqual(answer, { accepted: 9, stale: 0, rejected: [] });
      assert.lengthOf(deliveries, 10);
      assert.deepStrictEqual(
        moves,
        visits(9).map((_, index) => (index % 2 === 0 ? "enter Dam" : "exit Dam")),
      );
      assert.lengthOf(yield* phone.inbox(), 10);
    }),
  );

  it.effect("are later from one on when the time is up, and were not followed (TR1, OS30, L9)", () =>
    Effect.gen(function* () {
      pace.millis = 1_000;
      const { phone, visits } = yield* store(3);
      const sent = [{ latitude: 91 }, ...visits(5), { latitude: 91 }];
      const first = yield* phone.reports(sent);
      assert.deepStrictEqual(
        [first.accepted, first.moves, first.later, first.rejected.map(({ index }) => index)],
        [2, ["enter Dam", "exit Dam"], [3, 4, 5, 6], [0]],
      );
      const second = yield* phone.reports(sent.slice(3));
      assert.deepStrictEqual(
        [second.accepted, second.stale, second.moves, second.later],
        [2, 0, ["enter Dam", "exit Dam"], [2, 3]],
      );
      const third = yield* phone.reports(sent.slice(5));
      assert.deepStrictEqual([third.accepted, third.moves, third.later], [1, ["enter Dam"], undefined]);
      assert.lengthOf(yield* phone.inbox(), 9);
    }),
  );

  it.effect("one that alone passes the bound is followed whole (TR1, OS30)", () =>
    Effect.gen(function* () {
      pace.millis = 1_000;
      const { phone, visits } = yield* store(7);
      const answer = yield* phone.reports(visits(3));
      assert.deepStrictEqual([answer.accepted, answer.later, answer.deliveries.length], [2, [2], 7]);
    }),
  );
});
