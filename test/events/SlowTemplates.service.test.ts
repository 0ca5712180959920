import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { Stopwatch } from "../../src/workers/TimeSlices.ts";
import { dam, damWorld } from "../positions/PositionWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { oneCampaign } from "./EventWorld.ts";

/** A clock by which every rendering takes 30 milliseconds. */
const slow = () => {
  let millis = 0;
  return () => (millis += 30);
};
const named = { template: "liquid", headline: "Hi {{ device.attributes.name | default: 'you' }}" };

layer(TestWaypost.layer.pipe(Layer.provide(Layer.sync(Stopwatch, slow))))("Slow templates", (it) => {
  it.effect("events whose messages take long to render are recorded in batches of their own (O1.12)", () =>
    Effect.gen(function* () {
      const { location, phone } = yield* oneCampaign({}, named);
      const plain = yield* oneCampaign({}, { headline: "Hello" });
      const answers = yield* Effect.all(
        [phone.sees("enter", location), plain.phone.sees("enter", plain.location)],
        { concurrency: 2 },
      );
      assert.deepStrictEqual(
        answers.map(({ accepted, deliveries }) => [accepted, deliveries.map(({ headline }) => headline)]),
        [
          [1, ["Hi you"]],
          [1, ["Hello"]],
        ],
      );
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );

  it.effect("so are transitions of positions, whose first transaction is rolled back (O1.12)", () =>
    Effect.gen(function* () {
      const { location, phone, production } = yield* damWorld();
      yield* production.notification(yield* production.campaign({ location_ids: [location] }), named);
      const entered = yield* phone.isAt(dam);
      assert.deepStrictEqual(
        { ...entered, deliveries: entered.deliveries.map(({ headline }) => headline) },
        { accepted: 1, stale: 0, rejected: [], moves: ["enter Dam"], deliveries: ["Hi you"] },
      );
      assert.lengthOf(yield* phone.inbox(), 1);
    }),
  );

  it.effect("a stored template over the limits fails its own deliveries, unparsed (O1.3, O1.11)", () =>
    Effect.gen(function* () {
      const { location, notificationId, phone, waypost, workspace } = yield* oneCampaign({}, named);
      const sql = yield* SqlClient.SqlClient;
      // As an older version could store it.
      const body = "{{1}} ".repeat(16_500);
      yield* sql`UPDATE content SET body = ${body} WHERE notification_id = ${notificationId}`;
      const { accepted, deliveries } = yield* phone.sees("enter", location);
      assert.deepStrictEqual([accepted, deliveries], [1, []]);
      const listed = yield* waypost.operator(`/workspaces/${workspace.id}/production/deliveries`);
      assert.deepStrictEqual(
        listed.body.data.map(({ last_error, status }: any) => [status, last_error]),
        [["failed", "The body is no valid template."]],
      );
    }),
  );
});
