import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isOnCitus } from "../database/OnCitus.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { FaultyNetwork } from "../machines/FaultyNetwork.ts";
import { TestWaypost } from "../TestWaypost.ts";

const overNetwork = Layer.unwrap(
  Effect.map(FaultyNetwork, ({ path }) => TestWaypost.layerWith({}, TestDatabase.layerThrough(path))),
).pipe(Layer.provideMerge(FaultyNetwork.layer));

const campaign = (name: string) => ({
  name,
  type: "push",
  timezone: "UTC",
  starts_at: "2026-12-01",
  segmentation_ids: [],
});

const message = (name: string) => ({
  name,
  type: "message",
  headline: "Hello",
  body: "Come in.",
  trigger_type: "fixed_time",
  trigger_config: { send_at: "10:00" },
});

layer(overNetwork)("Round trips to the database", (it) => {
  it.effect("creating a campaign with a key takes four round trips, reading one two (B3.3)", () =>
    Effect.gen(function* () {
      const network = yield* FaultyNetwork;
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const create = (name: string) =>
        sandbox("/campaigns", { body: campaign(name), headers: { "idempotency-key": name } });
      // The first request opens connections, prepares statements and reads the token.
      const first = yield* create("First");
      const path = `/campaigns/${first.body.data.id}`;
      yield* sandbox(`${path}/notifications`, {
        body: message("First"),
        headers: { "idempotency-key": "first" },
      });
      yield* sandbox(path);
      network.set({ delay: 20 });
      const trips = {
        campaign: yield* network.countRoundTrips(create("Second")),
        replay: yield* network.countRoundTrips(create("Second")),
        notification: yield* network.countRoundTrips(
          sandbox(`${path}/notifications`, { body: message("Second"), headers: { "idempotency-key": "2" } }),
        ),
        read: yield* network.countRoundTrips(sandbox(path)),
      };
      network.set({});
      // On Citus a commit asks first whether it must be in two phases.
      const more = isOnCitus() ? 1 : 0;
      const expected = { campaign: 4 + more, replay: 3 + more, notification: 5 + more, read: 2 };
      assert.deepStrictEqual(trips, expected);
    }),
  );
});
