import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { parse } from "csv-parse/sync";
import { DAY_MS } from "../../src/time/DayNumbers.ts";
import { Dice } from "../sending/Dice.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

const setUp = (timezone = "UTC") =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const world = yield* givenWorkspace();
    const { phone, platform } = world.production;
    const path = `/workspaces/${world.workspace.id}`;
    yield* world.waypost.operator(path, { method: "PATCH", body: { timezone } });
    const device = yield* phone();
    const send = Effect.fnUntraced(function* (
      events: ReadonlyArray<{ name: string; ago?: number; properties?: object }>,
    ) {
      const drafts = yield* Effect.forEach(events, ({ ago = 0, name, properties = {} }) =>
        Effect.map(fromNow(-ago), (occurred_at) => ({
          id: randomUUID(),
          device_id: device.id,
          name,
          properties,
          occurred_at,
        })),
      );
      const { body } = yield* platform("/events", { body: { events: drafts } });
      assert.strictEqual(body.data.accepted, events.length, JSON.stringify(body));
    });
    const names = (query = "") => Effect.map(platform(`/events/names${query}`), ({ body }) => body);
    return { device, names, path, platform, send, world };
  });

layer(TestWaypost.layer)("Names of custom events", (it) => {
  it.effect(
    "names are counted by local days, the most frequent first, with days without events (V3.10)",
    () =>
      Effect.gen(function* () {
        const { names, send } = yield* setUp("Asia/Tokyo");
        // 12:00 in UTC is 21:00 in Tokyo: three hours later it is tomorrow, 21 hours ago it was today.
        const hour = 3_600_000;
        yield* send([
          { name: "order.placed" },
          { name: "order.placed", ago: 21 * hour },
          { name: "order.placed", ago: 21 * hour + 1 },
          { name: "app.opened", ago: 2 * DAY_MS },
          { name: "basket.filled", ago: 3 * DAY_MS },
        ]);
        assert.deepStrictEqual(yield* names("?days=3"), {
          data: [
            {
              name: "order.placed",
              count: 3,
              last_received_at: "2026-11-21T12:00:00+00:00",
              days: [
                { date: "2026-11-19", count: 0 },
                { date: "2026-11-20", count: 1 },
                { date: "2026-11-21", count: 2 },
              ],
            },
            {
              name: "app.opened",
              count: 1,
              last_received_at: "2026-11-21T12:00:00+00:00",
              days: [
                { date: "2026-11-19", count: 1 },
                { date: "2026-11-20", count: 0 },
                { date: "2026-11-21", count: 0 },
              ],
            },
            {
              name: "basket.filled",
              count: 0,
              last_received_at: "2026-11-21T12:00:00+00:00",
              days: [
                { date: "2026-11-19", count: 0 },
                { date: "2026-11-20", count: 0 },
                { date: "2026-11-21", count: 0 },
              ],
            },
          ],
          meta: { start: "2026-11-19", end: "2026-11-21", timezone: "Asia/Tokyo" },
        });
        const one = yield* names("?days=1&name=app.opened");
        assert.deepStrictEqual(
          one.data.map(({ count, name }: any) => [name, count]),
          [["app.opened", 0]],
        );
        assert.deepStrictEqual((yield* names("?name=unheard.of")).data, []);
        assert.lengthOf((yield* names()).data[0].days, 14);
      }),
  );

  it.effect(
    "counts equal those of the list, whenever events are received, and after an erasure (V3.10)",
    () =>
      Effect.gen(function* () {
        const { device, names, path, platform, send, world } = yield* setUp("America/St_Johns");
        const dice = new Dice(43);
        const kinds = ["a", "b", "b.c", "b:", "z"];
        for (let round = 0; round < 8; round++) {
          const events = Array.from({ length: 40 }, () => ({
            name: kinds[dice.below(kinds.length)] ?? "a",
            // Up to five minutes ahead of its receipt, and up to 20 days late.
            ago: dice.below(2) === 0 ? dice.below(20 * DAY_MS) : dice.below(600_000) - 300_000,
          }));
          yield* send(events);
          yield* TestClock.adjust(DAY_MS / 2 - 77_000);
        }
        const offset = -3.5 * 3_600_000;
        const expected = new Map<string, number>();
        let cursor: string | null = "";
        while (cursor !== null) {
          const page: any = yield* platform(`/events?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`);
          for (const { name, occurred_at } of page.body.data) {
            const date = new Date(Date.parse(occurred_at) + offset).toISOString().slice(0, 10);
            expected.set(`${name} ${date}`, (expected.get(`${name} ${date}`) ?? 0) + 1);
          }
          cursor = page.body.meta.next_cursor;
        }
        const counted = yield* names("?days=31");
        const found = counted.data.flatMap((each: any) =>
          each.days.flatMap(({ count, date }: any) => (count === 0 ? [] : [[`${each.name} ${date}`, count]])),
        );
        assert.deepStrictEqual(new Map(found), expected);
        for (const days of [1, 2, 9]) {
          const some = yield* names(`?days=${days}`);
          const dates = new Set(some.data[0].days.map(({ date }: any) => date));
          const sum = [...expected].reduce(
            (total, [key, count]) => total + (dates.has(key.split(" ")[1]) ? count : 0),
            0,
          );
          assert.strictEqual(
            some.data.reduce((total: number, { count }: any) => total + count, 0),
            sum,
          );
        }
        const erased = yield* world.waypost.operator(`${path}/production/devices/${device.id}`, {
          method: "DELETE",
        });
        assert.strictEqual(erased.status, 200);
        assert.deepStrictEqual((yield* names()).data, []);
      }),
  );

  it.effect("days are 1 to 31, and a name is one of an event (V3.10)", () =>
    Effect.gen(function* () {
      const { platform } = yield* setUp();
      for (const [path, field] of [
        ["/events/names?days=0", "days"],
        ["/events/names?days=32", "days"],
        ["/events/names?name=Not A Name", "name"],
        ["/events/properties", "name"],
      ] as const) {
        const { body, status } = yield* platform(path);
        assert.strictEqual(status, 422, path);
        assert.hasAllKeys(body.error.fields, [field]);
      }
    }),
  );

  it.effect("properties of a name are those that its newest events had, with their values (V3.11)", () =>
    Effect.gen(function* () {
      const { platform, send } = yield* setUp();
      yield* send([
        { name: "order.placed", properties: { currency: "EUR", total: 5, first: true } },
        { name: "order.placed", properties: { currency: "EUR", total: 59.9 } },
        { name: "order.placed", properties: { currency: "USD" } },
        { name: "order.placed" },
        { name: "other", properties: { currency: "GBP" } },
      ]);
      const { body } = yield* platform("/events/properties?name=order.placed");
      assert.deepStrictEqual(body.data, [
        {
          name: "currency",
          events: 3,
          values: [
            { value: "EUR", events: 2 },
            { value: "USD", events: 1 },
          ],
        },
        {
          name: "total",
          events: 2,
          values: [
            { value: 5, events: 1 },
            { value: 59.9, events: 1 },
          ],
        },
        { name: "first", events: 1, values: [{ value: true, events: 1 }] },
      ]);
      assert.deepStrictEqual((yield* platform("/events/properties?name=none")).body.data, []);
    }),
  );

  it.effect("format=csv gives all events of a filter as a file (V3.12, M5)", () =>
    Effect.gen(function* () {
      const { device, platform, send } = yield* setUp();
      yield* send([
        { name: "order.placed", properties: { total: 59.9 } },
        { name: "other" },
        { name: "order.placed", properties: { note: "=1+1" } },
      ]);
      const { body, headers } = yield* platform("/events?format=csv&name=order.placed");
      assert.include(headers.get("content-type") ?? "", "text/csv");
      const rows = parse(body, { columns: true }) as ReadonlyArray<Record<string, string>>;
      assert.deepStrictEqual(
        rows.map(({ device_id, name, properties }) => `${device_id} ${name} ${properties}`).toSorted(),
        [`${device.id} order.placed {"note":"=1+1"}`, `${device.id} order.placed {"total":59.9}`],
      );
    }),
  );
});
