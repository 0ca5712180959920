import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { CustomEvents } from "../../src/events/custom/CustomEvents.ts";
import { completeErasures } from "../../src/people/Erasures.ts";
import { DAY_MS } from "../../src/time/DayNumbers.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

const custom = (more: object = {}) =>
  Effect.map(fromNow(0), (occurred_at) => ({
    id: randomUUID(),
    type: "custom",
    name: "basket.filled",
    occurred_at,
    ...more,
  }));

const setUp = Effect.gen(function* () {
  yield* TestClock.setTime(testStart);
  const world = yield* givenWorkspace();
  const { platform } = world.production;
  const send = (events: ReadonlyArray<object>, ask: object = {}) =>
    Effect.map(platform("/events", { body: { events }, ...ask }), ({ body }) => body.data);
  const list = (query = "") => Effect.map(platform(`/events${query}`), ({ body }) => body.data);
  return { ...world.production, world, send, list };
});

const reasonsOf = (outcome: { rejected: Array<{ index: number; reasons: Array<string> }> }) =>
  outcome.rejected.map(({ reasons }) => reasons.join(" "));

layer(TestWaypost.layer)("Custom events", (it) => {
  it.effect("a device reports custom events beside enters and exits in one request (V3.1)", () =>
    Effect.gen(function* () {
      const { list, location, phone } = yield* setUp;
      const device = yield* phone();
      const store = yield* location();
      const event = yield* custom({ properties: { total: 59.9, currency: "EUR", first: true } });
      const enter = { id: event.id, type: "enter", location_id: store, occurred_at: event.occurred_at };
      const { body } = yield* device.report([enter, event, event]);
      assert.deepStrictEqual(body.data, { accepted: 2, duplicates: 1, rejected: [], deliveries: [] });
      assert.deepStrictEqual(yield* list(), [
        {
          id: event.id,
          device_id: device.id,
          user_id: null,
          name: "basket.filled",
          properties: { total: 59.9, currency: "EUR", first: true },
          occurred_at: "2026-11-21T12:00:00+00:00",
          received_at: "2026-11-21T12:00:00+00:00",
        },
      ]);
    }),
  );

  it.effect(
    "a server reports events of devices and of people; each that is wrong is rejected alone (V3.2)",
    () =>
      Effect.gen(function* () {
        const { list, phone, send } = yield* setUp;
        const device = yield* phone();
        const user_id = `person-${randomUUID()}`;
        yield* phone(randomUUID(), { user_id });
        const { type: _, ...plain } = yield* custom();
        const as = (more: object) => ({ ...plain, id: randomUUID(), ...more });
        const outcome = yield* send([
          as({ device_id: device.id }),
          as({ user_id, occurred_at: undefined }),
          as({}),
          as({ device_id: device.id, user_id }),
          as({ device_id: randomUUID() }),
          as({ user_id: "nobody" }),
          as({ device_id: device.id, name: "Not A Name" }),
          "no event" as never,
        ]);
        assert.strictEqual(outcome.accepted, 2);
        assert.deepStrictEqual(
          outcome.rejected.map(({ index }: { index: number }) => index),
          [2, 3, 4, 5, 6, 7],
        );
        const [both, , unknown, nobody, name] = reasonsOf(outcome);
        assert.include(both, "device_id or user_id");
        assert.include(unknown, "no registered device");
        assert.include(nobody, "user_id");
        assert.include(name, "1 to 64 of the characters");
        assert.deepStrictEqual(
          (yield* list()).map((each: any) => [each.device_id, each.user_id]),
          [
            [null, user_id],
            [device.id, null],
          ],
        );
      }),
  );

  it.effect("an id is unique per person, or per device without one, over both interfaces (V3.3)", () =>
    Effect.gen(function* () {
      const { phone, send } = yield* setUp;
      const user_id = `person-${randomUUID()}`;
      const [one, two] = [yield* phone(randomUUID(), { user_id }), yield* phone(randomUUID(), { user_id })];
      const other = yield* phone();
      const event = yield* custom();
      const counts = ({ accepted, duplicates }: any) => [accepted, duplicates];
      assert.deepStrictEqual(counts((yield* one.report([event])).body.data), [1, 0]);
      assert.deepStrictEqual(counts((yield* two.report([event])).body.data), [0, 1]);
      assert.deepStrictEqual(counts((yield* other.report([event])).body.data), [1, 0]);
      const { type: _, ...draft } = event;
      const drafts = [{ user_id }, { device_id: one.id }, { device_id: other.id }];
      assert.deepStrictEqual(counts(yield* send(drafts.map((each) => ({ ...draft, ...each })))), [0, 3]);
      const fresh = { ...draft, id: randomUUID() };
      const both = yield* send([two, one].map(({ id }) => ({ ...fresh, device_id: id })));
      assert.deepStrictEqual(counts(both), [1, 1]);
    }),
  );

  it.effect("names, properties and ages have limits, whose breach rejects the event alone (V3.4)", () =>
    Effect.gen(function* () {
      const { phone } = yield* setUp;
      const device = yield* phone();
      const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`p${index}`, 1]));
      const large = Object.fromEntries(
        Array.from({ length: 17 }, (_, index) => [`p${index}`, "a".repeat(255)]),
      );
      const wrong = [
        { name: "a".repeat(65) },
        { properties: many },
        { properties: large },
        { properties: { a: null } },
        { properties: { a: [1] } },
        { properties: { a: {} } },
        { properties: { a: "a".repeat(256) } },
        { properties: { ["a".repeat(65)]: 1 } },
        { properties: { "": 1 } },
        { properties: [1] },
        { occurred_at: yield* fromNow(-90 * DAY_MS - 1) },
        { occurred_at: yield* fromNow(300_001) },
        { id: "x" },
      ];
      const right = [
        { name: `a0_.:-${"z".repeat(58)}` },
        { properties: { a: "ä".repeat(255), __proto: 1, ["n".repeat(64)]: -0.5 } },
        { occurred_at: yield* fromNow(-90 * DAY_MS) },
        { occurred_at: yield* fromNow(300_000) },
        { properties: JSON.parse('{"__proto__": "own"}') },
        { properties: null },
      ];
      const events = yield* Effect.forEach([...wrong, ...right], custom);
      const { body } = yield* device.report(events);
      assert.strictEqual(body.data.accepted, right.length);
      assert.deepStrictEqual(
        body.data.rejected.map(({ index }: { index: number }) => index),
        wrong.map((_, index) => index),
        JSON.stringify(body.data.rejected),
      );
    }),
  );

  it.effect("the list is filtered by name, device and person, and paged, newest received first (V3.5)", () =>
    Effect.gen(function* () {
      const { list, phone, platform, send } = yield* setUp;
      const user_id = `person-${randomUUID()}`;
      const [device, other] = [yield* phone(randomUUID(), { user_id }), yield* phone()];
      const at = yield* fromNow(-60_000);
      const draft = (name: string, more: object) => ({ id: randomUUID(), name, occurred_at: at, ...more });
      yield* send([draft("first", { device_id: device.id })]);
      yield* TestClock.adjust(5);
      yield* send([draft("second", { user_id })]);
      yield* TestClock.adjust(5);
      yield* send([draft("first", { device_id: other.id })]);
      const names = (events: ReadonlyArray<any>) => events.map((each) => [each.name, each.device_id]);
      assert.deepStrictEqual(names(yield* list("?name=first")), [
        ["first", other.id],
        ["first", device.id],
      ]);
      assert.deepStrictEqual(names(yield* list(`?device_id=${device.id}`)), [["first", device.id]]);
      assert.deepStrictEqual(names(yield* list(`?user_id=${user_id}`)), [
        ["second", null],
        ["first", device.id],
      ]);
      const page = yield* platform("/events?limit=2");
      assert.lengthOf(page.body.data, 2);
      const next = yield* platform(`/events?limit=2&cursor=${page.body.meta.next_cursor}`);
      assert.deepStrictEqual(names(next.body.data), [["first", device.id]]);
      assert.strictEqual(next.body.meta.next_cursor, null);
      for (const wrong of ["%00", "a".repeat(256)]) {
        const { body, status } = yield* platform(`/events?user_id=${wrong}`);
        assert.deepStrictEqual(
          [status, body.error.code, Object.keys(body.error.fields)],
          [422, "invalid_parameter", ["user_id"]],
        );
      }
      assert.lengthOf(yield* list(`?user_id=%20${user_id}%20`), 2);
    }),
  );

  it.effect("events are deleted 90 days after they occurred (V3.6)", () =>
    Effect.gen(function* () {
      const { list, phone } = yield* setUp;
      const device = yield* phone();
      const days = (count: number) =>
        Effect.flatMap(fromNow(-count * DAY_MS), (at) => custom({ occurred_at: at }));
      const kept = yield* days(30);
      yield* device.report([yield* days(89), kept]);
      yield* TestClock.adjust(2 * DAY_MS);
      const { prune } = yield* CustomEvents;
      yield* prune;
      assert.deepStrictEqual(
        (yield* list()).map(({ id }: { id: string }) => id),
        [kept.id],
      );
    }),
  );

  it.effect("a webhook gets event.custom with the event (V3.7)", () =>
    Effect.gen(function* () {
      const { phone, platform } = yield* setUp;
      const created = yield* platform("/webhooks", {
        body: { url: "http://127.0.0.1:9/hook", events: ["event.custom"] },
      });
      assert.strictEqual(created.status, 201, JSON.stringify(created.body));
      const user_id = `person-${randomUUID()}`;
      const device = yield* phone(randomUUID(), { user_id });
      const event = yield* custom({ properties: { total: 3 } });
      yield* device.report([event]);
      const sql = yield* SqlClient.SqlClient;
      const rows = yield* sql<{ data: string }>`SELECT data FROM webhook_event WHERE type = 'event.custom'`;
      assert.deepStrictEqual(
        rows.map(({ data }) => JSON.parse(data)).filter(({ id }) => id === event.id),
        [
          {
            id: event.id,
            device_id: device.id,
            user_id,
            name: "basket.filled",
            properties: { total: 3 },
            occurred_at: "2026-11-21T12:00:00+00:00",
            received_at: "2026-11-21T12:00:00+00:00",
          },
        ],
      );
    }),
  );

  it.effect("a person's export has custom events, and erasure removes them (V3.8)", () =>
    Effect.gen(function* () {
      const { list, phone, send, world } = yield* setUp;
      const { waypost, workspace } = world;
      const user_id = `person-${randomUUID()}`;
      const installation = randomUUID();
      const device = yield* phone(installation);
      yield* device.report([yield* custom({ name: "before" })]);
      yield* device.ask("/devices/me", { method: "PATCH", body: { user_id } });
      yield* device.report([yield* custom({ name: "as.device" })]);
      const { type: _, ...draft } = yield* custom({ name: "as.person" });
      yield* send([{ ...draft, user_id }]);
      const other = yield* phone();
      yield* other.report([yield* custom({ name: "other" })]);
      const path = `/workspaces/${workspace.id}/production/people/${user_id}`;
      const exported = yield* waypost.operator(path);
      assert.deepStrictEqual(
        exported.body.data.custom_events.map(({ name }: { name: string }) => name),
        ["before", "as.device", "as.person"],
      );
      assert.strictEqual((yield* waypost.operator(path, { method: "DELETE" })).status, 200);
      yield* TestClock.adjust("30 seconds");
      yield* completeErasures;
      assert.deepStrictEqual(
        (yield* list()).map(({ name }: { name: string }) => name),
        ["other"],
      );
    }),
  );

  it.effect("events that a device sent for another person are theirs in export and erasure (V3.8)", () =>
    Effect.gen(function* () {
      const { list, phone, world } = yield* setUp;
      const { waypost, workspace } = world;
      const people = [randomUUID(), randomUUID()];
      const device = yield* phone(randomUUID(), { user_id: people[0] });
      yield* device.report([yield* custom({ name: "of.first" })]);
      yield* device.ask("/devices/me", { method: "PATCH", body: { user_id: people[1] } });
      yield* device.report([yield* custom({ name: "of.second" })]);
      const pathOf = (user_id?: string) => `/workspaces/${workspace.id}/production/people/${user_id}`;
      const namesOf = (events: ReadonlyArray<{ readonly name: string }>) => events.map(({ name }) => name);
      const exported = (user_id?: string) =>
        Effect.map(waypost.operator(pathOf(user_id)), ({ body }) => namesOf(body.data.custom_events));
      assert.deepStrictEqual(yield* Effect.forEach(people, exported), [["of.first"], ["of.second"]]);
      assert.strictEqual((yield* waypost.operator(pathOf(people[1]), { method: "DELETE" })).status, 200);
      yield* TestClock.adjust("30 seconds");
      yield* completeErasures;
      assert.deepStrictEqual(namesOf(yield* list()), ["of.first"]);
      assert.deepStrictEqual(yield* exported(people[0]), ["of.first"]);
    }),
  );
});
