import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { EventBounds } from "../../src/events/EventParts.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { eventCampaign } from "./EventCampaignWorld.ts";
import { eventNow, fromNow } from "../given/GivenBodies.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { smallBounds } from "./EventWorld.ts";

/** The milliseconds that each reading of the clock of requests takes. */
const pace = { millis: 0 };
const bounds = smallBounds(pace);
const waypost = TestWaypost.layer.pipe(Layer.provide(Layer.succeed(EventBounds, bounds)));

/** An event campaign with so many notifications, and a device that reports baskets. */
const baskets = (notifications: number, content: (index: number) => object = () => ({})) =>
  Effect.gen(function* () {
    pace.millis = 0;
    const world = yield* eventCampaign({}, {}, content(0));
    const { notification, campaignId } = world;
    const trigger = { trigger_type: "on_event", trigger_config: { event: "basket.filled" } };
    for (let index = 1; index < notifications; index++)
      yield* notification(campaignId, { ...trigger, headline: `Hello ${index}`, ...content(index) });
    const occurred_at = yield* fromNow(0);
    const events = (count: number) =>
      Array.from({ length: count }, () => ({
        id: randomUUID(),
        type: "custom",
        name: "basket.filled",
        occurred_at,
      }));
    const report = (sent: ReadonlyArray<object>) =>
      Effect.map(world.phone.report(sent), ({ body, status }) => {
        assert.strictEqual(status, 200, JSON.stringify(body));
        return body.data;
      });
    const sql = yield* SqlClient.SqlClient;
    /** The deliveries of the device, and the transactions that made them. */
    const made = Effect.orDie(
      sql<{ readonly deliveries: number; readonly largest: number }>`
      SELECT COALESCE(sum(x.count), 0)::int AS deliveries, COALESCE(max(x.count), 0)::int AS largest
      FROM (
        SELECT v.xmin, count(*) FROM delivery v
        JOIN device d ON d.workspace_id = v.workspace_id AND d.key = v.device_key
        WHERE d.id = ${world.phone.id} GROUP BY v.xmin
      ) AS x`,
    ).pipe(Effect.map(([row]) => row));
    return { ...world, events, report, made, sql };
  });

layer(waypost)("Events that make many messages", (it) => {
  it.effect("are worked in transactions of bounded messages, all of a request (TR1)", () =>
    Effect.gen(function* () {
      const { events, made, messages, report } = yield* baskets(2);
      const { deliveries, ...answer } = yield* report(events(6));
      assert.deepStrictEqual(answer, { accepted: 6, duplicates: 0, rejected: [], more: true });
      assert.lengthOf(deliveries, 8);
      assert.deepStrictEqual(yield* made, { deliveries: 12, largest: 4 });
      assert.strictEqual(yield* messages(), 12);
    }),
  );

  it.effect("are later when the request's time is up, and each counts once when sent again (TR1)", () =>
    Effect.gen(function* () {
      const { events, made, report } = yield* baskets(2);
      const sent = events(7);
      pace.millis = 60;
      const first = yield* report(sent);
      assert.deepStrictEqual([first.accepted, first.later, first.more], [4, [4, 5, 6], undefined]);
      const second = yield* report(sent);
      assert.deepStrictEqual([second.accepted, second.duplicates, second.later], [0, 4, [4, 5, 6]]);
      const third = yield* report(sent.slice(4));
      assert.deepStrictEqual([third.accepted, third.later], [3, undefined]);
      assert.deepStrictEqual(yield* made, { deliveries: 14, largest: 4 });
    }),
  );

  it.effect("an event that alone passes the bound is accepted whole (TR1)", () =>
    Effect.gen(function* () {
      const { events, made, report } = yield* baskets(9);
      pace.millis = 1_000;
      const answer = yield* report(events(2));
      assert.deepStrictEqual([answer.accepted, answer.later, answer.more], [1, [1], true]);
      assert.lengthOf(answer.deliveries, 8);
      assert.deepStrictEqual(yield* made, { deliveries: 9, largest: 9 });
    }),
  );

  it.effect("an event that cannot be read is later with those around it (TR1)", () =>
    Effect.gen(function* () {
      const { events, report } = yield* baskets(5);
      pace.millis = 1_000;
      const unreadable = { type: "custom" };
      const sent = [...events(2).flatMap((event) => [unreadable, event]), unreadable];
      const { accepted, later, rejected } = yield* report(sent);
      assert.deepStrictEqual(
        [accepted, later, rejected.map(({ index }: { index: number }) => index)],
        [1, [3, 4], [0, 2]],
      );
    }),
  );

  it.effect("silent messages come first in the answer, before those of earlier events (TR1)", () =>
    Effect.gen(function* () {
      const { campaign, events, notification, report } = yield* baskets(9);
      const other = yield* campaign({ type: "event" });
      yield* notification(other, {
        trigger_type: "on_event",
        trigger_config: { event: "basket.emptied" },
        headline: "Wake up",
        push: { silent: true },
      });
      const emptied = events(1).map((event) => ({ ...event, name: "basket.emptied" }));
      const answer = yield* report([...events(1), ...emptied]);
      assert.deepStrictEqual([answer.accepted, answer.deliveries.length, answer.more], [2, 8, true]);
      assert.deepStrictEqual(
        answer.deliveries.map(({ silent }: { silent?: true }) => silent === true).indexOf(true),
        0,
      );
    }),
  );

  it.effect("nothing more is worked once silent messages fill the answer (TR1)", () =>
    Effect.gen(function* () {
      const { events, report } = yield* baskets(4, () => ({ push: { silent: true } }));
      const answer = yield* report(events(4));
      assert.deepStrictEqual([answer.accepted, answer.deliveries.length, answer.later], [3, 8, [3]]);
    }),
  );

  it.effect("events that wait for their minute count like messages (TR1, V4)", () =>
    Effect.gen(function* () {
      const delayed = {
        trigger_type: "on_event",
        trigger_config: { event: "basket.filled", delay_minutes: 5 },
      };
      const { events, phone, report, sql } = yield* baskets(1).pipe(
        Effect.tap(({ campaignId, notification }) =>
          Effect.forEach([1, 2, 3, 4], () => notification(campaignId, delayed)),
        ),
      );
      pace.millis = 1_000;
      const { accepted, later } = yield* report(events(2));
      assert.deepStrictEqual([accepted, later], [1, [1]]);
      const [waiting] = yield* sql`SELECT count(*)::int AS rows FROM dwell w
        JOIN device d ON d.workspace_id = w.workspace_id AND d.key = w.device_key WHERE d.id = ${phone.id}`;
      assert.deepStrictEqual(waiting, { rows: 4 });
    }),
  );

  it.effect("of a server are later, too, and come in further transactions with a key as without (TR1)", () =>
    Effect.gen(function* () {
      const { events, made, phone, production } = yield* baskets(2);
      const sent = events(7).map(({ id, name }) => ({ id, name, device_id: phone.id }));
      const send = (list: ReadonlyArray<object>, headers = {}) =>
        Effect.map(
          production.platform("/events", { body: { events: list }, headers }),
          ({ body, status }) => {
            assert.strictEqual(status, 200, JSON.stringify(body));
            return body.data;
          },
        );
      pace.millis = 60;
      const first = yield* send([{ id: "no id" }, ...sent, { id: "no id" }]);
      assert.deepStrictEqual(
        [first.accepted, first.later, first.rejected.map(({ index }: { index: number }) => index)],
        [4, [5, 6, 7, 8], [0]],
      );
      pace.millis = 0;
      const headers = { "idempotency-key": randomUUID() };
      const keyed = yield* send(sent, headers);
      assert.deepStrictEqual(keyed, { accepted: 3, duplicates: 4, rejected: [] });
      assert.deepStrictEqual(yield* send(sent, headers), keyed);
      assert.deepStrictEqual(yield* made, { deliveries: 14, largest: 4 });
    }),
  );
});

const few = Layer.succeed(EventBounds, { ...bounds, messages: 1_000, clock: () => 0, matchRows: 3 });
layer(TestWaypost.layer.pipe(Layer.provide(few)))(
  "Events at many locations with many notifications",
  (it) => {
    it.effect("are looked up a bounded number of notifications at a time, all of a request (TR1)", () =>
      Effect.gen(function* () {
        const { production } = yield* givenWorkspace();
        const locations = yield* Effect.forEach([1, 2, 3, 4], (each) =>
          production.location({ name: `Store ${each}` }),
        );
        const campaign = yield* production.campaign({ location_ids: locations });
        for (const headline of ["A", "B"]) yield* production.notification(campaign, { headline });
        // One location has more notifications than a transaction looks up.
        const other = yield* production.campaign({ location_ids: [locations[2]] });
        for (const headline of ["C", "D", "E"]) yield* production.notification(other, { headline });
        const phone = yield* production.phone();
        const enters = yield* Effect.forEach([0, 1, 2, 3, 0], (index) => eventNow(locations[index]));
        const { body } = yield* phone.report(enters);
        assert.deepInclude(body.data, { accepted: 5, duplicates: 0, rejected: [] });
        assert.lengthOf(body.data.deliveries, 8);
        assert.isTrue(body.data.more);
        assert.deepInclude((yield* phone.report(enters)).body.data, { accepted: 0, duplicates: 5 });
      }),
    );
  },
);
