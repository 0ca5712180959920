import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { Retention } from "../../../src/reports/retention/Retention.ts";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import { ParsedBody } from "../../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { eventWorld } from "../../events/EventWorld.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A place and a phone whose events come at any day, which is told from the start of the tests. */
const visits = Effect.gen(function* () {
  yield* TestClock.setTime(testStart);
  const { step } = yield* Rollups;
  const { compact: pack } = yield* Retention;
  const sql = yield* SqlClient.SqlClient;
  const world = yield* eventWorld();
  const { platform, workspaceId } = world.production;
  const location = yield* world.production.location();
  const phone = yield* world.production.phone();
  const mine = sql`workspace_id = ${workspaceId}`;
  const rollup = Effect.gen(function* () {
    while (yield* step);
  });
  return {
    ...world,
    mine,
    rollup,
    /** Reports an event of a day on another day, by default as it happens. */
    sees: Effect.fnUntraced(function* (
      type: "enter" | "exit",
      day: number,
      { id = randomUUID(), on = day }: { readonly id?: string; readonly on?: number } = {},
    ) {
      yield* TestClock.setTime(testStart + on * DAY);
      const { accepted, duplicates } = yield* phone.sees(type, location, {
        id,
        occurred_at: new Date(testStart + day * DAY).toISOString(),
      });
      return { accepted, duplicates };
    }),
    packBefore: (day: number) => Effect.andThen(rollup, pack("events", testStart + day * DAY)),
    /** The figures of the place over a year from a day on. */
    figures: Effect.fnUntraced(function* (day = 0) {
      const date = (day: number) => new Date(testStart + day * DAY).toISOString().slice(0, 10);
      const { body } = yield* platform(`/reports/locations?start=${date(day)}&end=${date(day + 366)}`);
      const { dwell_minutes, entries, exits } = body.data[0];
      return { entries, exits, hours: dwell_minutes === null ? null : dwell_minutes / 60 };
    }),
    unpacked: Effect.map(
      sql<{ readonly type: string }>`SELECT type FROM geofence_event WHERE ${mine} ORDER BY occurred_at`,
      (rows) => rows.map(({ type }) => type),
    ),
  };
});

type Visits = Effect.Success<typeof visits>;

/** Holds figures against what is rolled up, against the rows themselves, and against rollups made anew in another zone. */
const verify = Effect.fnUntraced(function* (
  { figures, mine, rollup, workspace }: Visits,
  expected: unknown,
  day = 0,
) {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = yield* Workspaces;
  const move = (timezone: string) =>
    Effect.orDie(workspaces.update(workspace.id, ParsedBody.of({ timezone: timezone as never })));
  assert.deepStrictEqual(yield* figures(day), expected, "some in the feed");
  yield* rollup;
  assert.deepStrictEqual(yield* figures(day), expected, "rolled up");
  yield* sql`UPDATE rollup_state SET timezone = 'none' WHERE ${mine}`;
  assert.deepStrictEqual(yield* figures(day), expected, "counted row by row");
  yield* move("Asia/Kathmandu");
  yield* rollup;
  assert.deepStrictEqual(yield* figures(day), expected, "rolled up anew");
  yield* move("UTC");
  yield* rollup;
});

// Nothing works beside the test itself.
layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("The stays of packed events", (it) => {
  it.effect("keep their length, and an entry waits in its table for its exit, however much later (K5)", () =>
    Effect.gen(function* () {
      const world = yield* visits;
      yield* world.sees("enter", 1);
      yield* world.sees("exit", 2);
      yield* world.sees("enter", 3);
      yield* world.sees("enter", 5);
      yield* world.packBefore(60);
      assert.deepStrictEqual(yield* world.unpacked, ["enter", "enter"]);
      yield* verify(world, { entries: 3, exits: 1, hours: 24 });
      // Two entries end with the same exit.
      yield* world.sees("exit", 200);
      yield* verify(world, { entries: 3, exits: 2, hours: (24 * (1 + 197 + 195)) / 3 });
      yield* world.packBefore(150);
      assert.deepStrictEqual(yield* world.unpacked, ["enter", "enter", "exit"]);
      yield* world.packBefore(201);
      assert.deepStrictEqual(yield* world.unpacked, []);
      yield* verify(world, { entries: 3, exits: 2, hours: (24 * (1 + 197 + 195)) / 3 });
    }),
  );

  it.effect("stay as they are when an event of their time comes late, which is counted all the same", () =>
    Effect.gen(function* () {
      const world = yield* visits;
      yield* world.sees("enter", 1);
      yield* world.sees("exit", 5);
      yield* world.sees("enter", 6);
      // So long as nothing is packed, the latest event finds those that it belongs to.
      yield* world.sees("exit", 3, { on: 70 });
      yield* verify(world, { entries: 2, exits: 2, hours: 48 });
      yield* world.packBefore(10);
      assert.deepStrictEqual(yield* world.unpacked, ["enter"]);
      yield* world.sees("exit", 2, { on: 71 });
      yield* world.sees("enter", 4, { on: 71 });
      yield* world.sees("exit", 8, { on: 71 });
      yield* verify(world, { entries: 3, exits: 4, hours: 48 });
      // In time that is not packed late events count in full.
      yield* world.sees("exit", 11, { on: 72 });
      yield* verify(world, { entries: 3, exits: 5, hours: (48 + 5 * 24) / 2 });
      yield* world.packBefore(12);
      yield* verify(world, { entries: 3, exits: 5, hours: (48 + 5 * 24) / 2 });
      yield* world.packBefore(380);
      assert.deepStrictEqual(yield* world.unpacked, []);
      yield* verify(world, { entries: 3, exits: 5, hours: (48 + 5 * 24) / 2 });
    }),
  );

  it.effect("are none of an entry that no exit has followed for a year when it is packed", () =>
    Effect.gen(function* () {
      const world = yield* visits;
      yield* world.sees("enter", 1);
      yield* world.sees("enter", 20);
      yield* world.packBefore(300);
      assert.deepStrictEqual(yield* world.unpacked, ["enter", "enter"]);
      yield* world.packBefore(368);
      assert.deepStrictEqual(yield* world.unpacked, ["enter"]);
      yield* world.sees("exit", 400);
      yield* verify(world, { entries: 2, exits: 0, hours: 380 * 24 });
      // One that has its exit waits until that is packed with it.
      yield* world.packBefore(390);
      assert.deepStrictEqual(yield* world.unpacked, ["enter", "exit"]);
      yield* world.packBefore(401);
      assert.deepStrictEqual(yield* world.unpacked, []);
      yield* verify(world, { entries: 2, exits: 0, hours: 380 * 24 });
    }),
  );

  it.effect(
    "are not counted twice: a packed event that is reported again is a duplicate, late or too late (device.events_once)",
    () =>
      Effect.gen(function* () {
        const world = yield* visits;
        const entry = randomUUID();
        const exit = randomUUID();
        yield* world.sees("enter", 1, { id: entry });
        yield* world.sees("exit", 2, { id: exit });
        yield* world.packBefore(10);
        assert.deepStrictEqual(yield* world.unpacked, []);
        const again = { accepted: 0, duplicates: 1 };
        assert.deepStrictEqual(yield* world.sees("enter", 1, { id: entry, on: 70 }), again);
        assert.deepStrictEqual(yield* world.sees("exit", 2, { id: exit, on: 400 }), again);
        assert.deepStrictEqual(yield* world.sees("exit", 3, { on: 70 }), { accepted: 1, duplicates: 0 });
        yield* verify(world, { entries: 1, exits: 2, hours: 24 });
      }),
  );

  it.effect("are packed only when they are rolled up", () =>
    Effect.gen(function* () {
      const { compact: pack } = yield* Retention;
      const world = yield* visits;
      yield* world.sees("enter", 1);
      yield* world.packBefore(0);
      yield* world.sees("exit", 2);
      assert.strictEqual(yield* pack("events", testStart + 10 * DAY), 0);
      assert.deepStrictEqual(yield* world.unpacked, ["enter", "exit"]);
      yield* world.rollup;
      assert.strictEqual(yield* pack("events", testStart + 10 * DAY), 2);
      yield* verify(world, { entries: 1, exits: 1, hours: 24 });
    }),
  );
});
