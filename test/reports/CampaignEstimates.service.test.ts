import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { sendWorld } from "../sending/sends/SendWorld.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";

const gold = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };

layer(TestWaypost.layer)("Counts and estimates", (it) => {
  it.effect("a rule is counted without being stored, and its problems are those of a segment (S4.1)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* sendWorld();
      yield* sandbox.device("one", { attributes: { plan: "gold" } });
      yield* sandbox.device("two", { attributes: { plan: "silver" } });
      const gone = yield* sandbox.device("three", { attributes: { plan: "gold" } });
      yield* gone.ask("/devices/me", { method: "DELETE" });
      const counted = yield* sandbox.platform("/segments/count", { body: { rule: gold } });
      assert.deepStrictEqual([counted.status, counted.body], [200, { data: { devices: 1 } }]);
      assert.deepStrictEqual((yield* sandbox.platform("/segments")).body.data, []);
      const wrong = yield* sandbox.platform("/segments/count", {
        body: { rule: { match: "some", conditions: [{ attribute: "plan", op: "eq" }] } },
      });
      assert.strictEqual(wrong.status, 422);
      assert.sameMembers(Object.keys(wrong.body.error.fields), ["rule.match", "rule.conditions.0.value"]);
      const none = yield* sandbox.platform("/segments/count", { body: {} });
      assert.deepStrictEqual(Object.keys(none.body.error.fields), ["rule"]);
    }),
  );

  it.effect(
    "a push campaign's estimate counts its segments, and in Sandbox reaches approved devices (S4.2)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* sendWorld();
        const sql = yield* SqlClient.SqlClient;
        const estimate = (body: object) =>
          Effect.map(sandbox.platform("/campaigns/estimate", { body }), (answer) => answer.body.data);
        yield* sandbox.phone("one", { attributes: { plan: "gold" } });
        yield* sandbox.device("two", { attributes: { plan: "gold" } });
        const lost = yield* sandbox.phone("three");
        yield* Effect.orDie(sql`UPDATE device SET address_gone_at = '2026-11-20Z' WHERE id = ${lost.id}`);
        const segment = (yield* sandbox.platform("/segments", { body: { name: "Gold", rule: gold } })).body
          .data.id;
        const nobody = { places: 0, devices_seen_30_days: null };
        assert.deepStrictEqual(yield* estimate({}), { devices: 3, reachable: 1, ...nobody });
        assert.deepStrictEqual(yield* estimate({ type: "push", segmentation_ids: [segment] }), {
          devices: 2,
          reachable: 1,
          ...nobody,
        });
        const wrong = yield* sandbox.platform("/campaigns/estimate", {
          body: { type: "geo", segmentation_ids: [segment], location_ids: [segment] },
        });
        assert.sameMembers(Object.keys(wrong.body.error.fields), ["segmentation_ids", "location_ids.0"]);
      }),
  );

  it.effect("with the time of a push, the devices that have it behind them are counted (CO6.5)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      for (const timezone of ["Asia/Tokyo", "America/New_York", undefined])
        yield* production.phone(randomUUID(), timezone === undefined ? {} : { timezone });
      const estimate = (send: unknown, body: object = {}) =>
        Effect.map(production.platform("/campaigns/estimate", { body: { ...body, send } }), (answer) =>
          answer.status === 200 ? answer.body.data.devices_passed : Object.keys(answer.body.error.fields),
        );
      const push = { at: "2026-11-21 09:00", timezone: "UTC" };
      assert.strictEqual(yield* estimate(null), undefined);
      assert.strictEqual(yield* estimate(push), 3);
      assert.strictEqual(yield* estimate({ ...push, at: "2026-11-21 12:00" }), 0);
      assert.strictEqual(yield* estimate({ ...push, local: true }), 2);
      assert.strictEqual(yield* estimate({ ...push, local: true, timezone: "America/New_York" }), 1);
      assert.strictEqual(yield* estimate({ ...push, at: "2026-11-21 20:00", local: true }), 1);
      const rule = { match: "all", conditions: [{ attribute: "timezone", op: "eq", value: "Asia/Tokyo" }] };
      const segment = (yield* production.platform("/segments", { body: { name: "Tokyo", rule } })).body.data
        .id;
      const inTokyo = { type: "push", segmentation_ids: [segment] };
      assert.strictEqual(yield* estimate({ ...push, local: true }, inTokyo), 1);
      assert.deepStrictEqual(yield* estimate({ at: "soon", timezone: "x" }), ["send.at", "send.timezone"]);
    }),
  );

  it.effect("a geo campaign's estimate counts its locations, and each device that entered one (S4.3)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const [dam, spui, far] = [
        yield* production.location({ name: "Dam", group: "Centre" }),
        yield* production.location({ name: "Spui", group: "Centre" }),
        yield* production.location({ name: "Far" }),
      ];
      const [one, two, three] = [
        yield* production.phone(randomUUID()),
        yield* production.phone(randomUUID()),
        yield* production.phone(randomUUID()),
      ];
      const daysAgo = (days: number) => ({
        occurred_at: new Date(testStart - days * 86_400_000).toISOString(),
      });
      yield* one.sees("enter", dam, daysAgo(30));
      yield* one.sees("enter", spui, daysAgo(2));
      yield* two.sees("enter", dam, daysAgo(31));
      yield* two.sees("exit", dam);
      yield* three.sees("enter", spui);
      yield* three.sees("enter", far);
      const estimate = (body: object) =>
        Effect.map(production.platform("/campaigns/estimate", { body }), (answer) => answer.body.data);
      const all = { devices: 3, reachable: 3 };
      const centre = { location_group_names: ["Centre"], location_ids: [dam] };
      assert.deepStrictEqual(yield* estimate(centre), { ...all, places: 2, devices_seen_30_days: 2 });
      assert.deepStrictEqual(yield* estimate({ type: "geo", location_ids: [far] }), {
        ...all,
        places: 1,
        devices_seen_30_days: 1,
      });
      // The same from the rollups.
      yield* TestClock.adjust("10 minutes");
      assert.deepStrictEqual(yield* estimate(centre), { ...all, places: 2, devices_seen_30_days: 2 });
    }),
  );

  it.effect("100,000 devices are counted exactly, and of more a spread sample is counted (S4.4)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const sql = yield* SqlClient.SqlClient;
      // Without the triggers, which take most of the time, and which a count does not read.
      const add = (devices: number) =>
        Effect.gen(function* () {
          yield* sql`SET LOCAL session_replication_role = replica`;
          // A slow machine may need longer than the limit of a session.
          yield* sql`SET LOCAL statement_timeout = 300000`;
          yield* production.crowd(devices, { iosEvery: 4 });
        }).pipe(sql.withTransaction, Effect.orDie);
      const rule = { match: "all", conditions: [{ attribute: "platform", op: "eq", value: "ios" }] };
      const read = (path: string, body: object) =>
        Effect.map(production.platform(path, { body }), (answer) => {
          assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
          return answer.body.data;
        });
      const count = Effect.map(read("/segments/count", { rule }), ({ devices }) => devices as number);
      yield* add(100_000);
      assert.strictEqual(yield* count, 25_000);
      yield* add(20_000);
      assert.approximately(yield* count, 30_000, 300);
      const everyone = yield* read("/campaigns/estimate", {});
      assert.deepStrictEqual(everyone, {
        devices: 120_000,
        reachable: 120_000,
        places: 0,
        devices_seen_30_days: null,
      });
    }),
  );

  it.effect("counts and estimates are reads for the rate limit (S4.5)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld({ plan: { production_writes_per_minute: 1 } });
      for (let i = 0; i < 3; i++) {
        const counted = yield* production.platform("/segments/count", { body: { rule: gold } });
        assert.strictEqual(counted.status, 200);
        assert.strictEqual((yield* production.platform("/campaigns/estimate", { body: {} })).status, 200);
      }
    }),
  );
});
