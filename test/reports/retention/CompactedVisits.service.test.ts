import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { Retention } from "../../../src/reports/retention/Retention.ts";
import { ParsedBody } from "../../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { givenWorkspace } from "../../given/GivenWorkspace.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { rollUp } from "../rollups/StoredRollups.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A location and a phone that reports events there. Days count from the start of the tests. */
const visits = Effect.gen(function* () {
  yield* TestClock.setTime(testStart);
  const { compact } = yield* Retention;
  const sql = yield* SqlClient.SqlClient;
  const world = yield* givenWorkspace();
  const { platform, workspaceId } = world.production;
  const location = yield* world.production.location();
  const phone = yield* world.production.phone();
  const mine = sql`workspace_id = ${workspaceId}`;
  return {
    ...world,
    mine,
    /** Reports an event of a day, on that day or on the day `on`. */
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
    compactBefore: (day: number) => Effect.andThen(rollUp, compact("events", testStart + day * DAY)),
    /** The figures of the location over a year from a day on. */
    figures: Effect.fnUntraced(function* (day = 0) {
      const date = (day: number) => new Date(testStart + day * DAY).toISOString().slice(0, 10);
      const { body } = yield* platform(`/reports/locations?start=${date(day)}&end=${date(day + 366)}`);
      const { dwell_minutes, entries, exits } = body.data[0];
      return { entries, exits, hours: dwell_minutes === null ? null : dwell_minutes / 60 };
    }),
    /** The types of the events that are in their table. */
    stored: Effect.map(
      sql<{ readonly type: string }>`SELECT type FROM geofence_event WHERE ${mine} ORDER BY occurred_at`,
      (rows) => rows.map(({ type }) => type),
    ),
  };
});

type Visits = Effect.Success<typeof visits>;

/** Asserts figures with pending deltas, rolled up, counted in source rows, and rebuilt in another zone. */
const verify = Effect.fnUntraced(function* (
  { figures, mine, workspace }: Visits,
  expected: unknown,
  day = 0,
) {
  const sql = yield* SqlClient.SqlClient;
  const workspaces = yield* Workspaces;
  const move = (timezone: string) =>
    Effect.orDie(workspaces.update(workspace.id, ParsedBody.of({ timezone: timezone as never })));
  assert.deepStrictEqual(yield* figures(day), expected, "with pending deltas");
  yield* rollUp;
  assert.deepStrictEqual(yield* figures(day), expected, "rolled up");
  yield* sql`UPDATE rollup_state SET timezone = 'none' WHERE ${mine}`;
  assert.deepStrictEqual(yield* figures(day), expected, "counted in source rows");
  yield* move("Asia/Kathmandu");
  yield* rollUp;
  assert.deepStrictEqual(yield* figures(day), expected, "rebuilt");
  yield* move("UTC");
  yield* rollUp;
});

// No jobs run beside the test.
layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Compacted visits", (it) => {
  it.effect(
    "an entry stays in its table until its exit is compacted, and the visit keeps its length (K5)",
    () =>
      Effect.gen(function* () {
        const world = yield* visits;
        yield* world.sees("enter", 1);
        yield* world.sees("exit", 2);
        yield* world.sees("enter", 3);
        yield* world.sees("enter", 5);
        yield* world.compactBefore(60);
        assert.deepStrictEqual(yield* world.stored, ["enter", "enter"]);
        yield* verify(world, { entries: 3, exits: 1, hours: 24 });
        // Two entries end with the same exit.
        yield* world.sees("exit", 200);
        yield* verify(world, { entries: 3, exits: 2, hours: (24 * (1 + 197 + 195)) / 3 });
        yield* world.compactBefore(150);
        assert.deepStrictEqual(yield* world.stored, ["enter", "enter", "exit"]);
        yield* world.compactBefore(201);
        assert.deepStrictEqual(yield* world.stored, []);
        yield* verify(world, { entries: 3, exits: 2, hours: (24 * (1 + 197 + 195)) / 3 });
      }),
  );

  it.effect("a late event of compacted time counts, but changes no visit", () =>
    Effect.gen(function* () {
      const world = yield* visits;
      yield* world.sees("enter", 1);
      yield* world.sees("exit", 5);
      yield* world.sees("enter", 6);
      // As long as nothing is compacted, a very late event finds the events it belongs to.
      yield* world.sees("exit", 3, { on: 70 });
      yield* verify(world, { entries: 2, exits: 2, hours: 48 });
      yield* world.compactBefore(10);
      assert.deepStrictEqual(yield* world.stored, ["enter"]);
      yield* world.sees("exit", 2, { on: 71 });
      yield* world.sees("enter", 4, { on: 71 });
      yield* world.sees("exit", 8, { on: 71 });
      yield* verify(world, { entries: 3, exits: 4, hours: 48 });
      // In time that is not compacted, late events count in full.
      yield* world.sees("exit", 11, { on: 72 });
      yield* verify(world, { entries: 3, exits: 5, hours: (48 + 5 * 24) / 2 });
      yield* world.compactBefore(12);
      yield* verify(world, { entries: 3, exits: 5, hours: (48 + 5 * 24) / 2 });
      yield* world.compactBefore(380);
      assert.deepStrictEqual(yield* world.stored, []);
      yield* verify(world, { entries: 3, exits: 5, hours: (48 + 5 * 24) / 2 });
    }),
  );

  it.effect("an entry without an exit for a year is compacted and begins no visit any more", () =>
    Effect.gen(function* () {
      const world = yield* visits;
      yield* world.sees("enter", 1);
      yield* world.sees("enter", 20);
      yield* world.compactBefore(300);
      assert.deepStrictEqual(yield* world.stored, ["enter", "enter"]);
      yield* world.compactBefore(368);
      assert.deepStrictEqual(yield* world.stored, ["enter"]);
      yield* world.sees("exit", 400);
      yield* verify(world, { entries: 2, exits: 0, hours: 380 * 24 });
      // An entry with an exit stays until the exit is compacted with it.
      yield* world.compactBefore(390);
      assert.deepStrictEqual(yield* world.stored, ["enter", "exit"]);
      yield* world.compactBefore(401);
      assert.deepStrictEqual(yield* world.stored, []);
      yield* verify(world, { entries: 2, exits: 0, hours: 380 * 24 });
    }),
  );

  it.effect(
    "a compacted event that is reported again is a duplicate, however late (device.events_once)",
    () =>
      Effect.gen(function* () {
        const world = yield* visits;
        const entry = randomUUID();
        const exit = randomUUID();
        yield* world.sees("enter", 1, { id: entry });
        yield* world.sees("exit", 2, { id: exit });
        yield* world.compactBefore(10);
        assert.deepStrictEqual(yield* world.stored, []);
        const duplicate = { accepted: 0, duplicates: 1 };
        assert.deepStrictEqual(yield* world.sees("enter", 1, { id: entry, on: 70 }), duplicate);
        assert.deepStrictEqual(yield* world.sees("exit", 2, { id: exit, on: 400 }), duplicate);
        assert.deepStrictEqual(yield* world.sees("exit", 3, { on: 70 }), { accepted: 1, duplicates: 0 });
        yield* verify(world, { entries: 1, exits: 2, hours: 24 });
      }),
  );

  it.effect("events are compacted only after they are rolled up", () =>
    Effect.gen(function* () {
      const { compact } = yield* Retention;
      const world = yield* visits;
      yield* world.sees("enter", 1);
      yield* world.compactBefore(0);
      yield* world.sees("exit", 2);
      assert.strictEqual(yield* compact("events", testStart + 10 * DAY), 0);
      assert.deepStrictEqual(yield* world.stored, ["enter", "exit"]);
      yield* rollUp;
      assert.strictEqual(yield* compact("events", testStart + 10 * DAY), 2);
      yield* verify(world, { entries: 1, exits: 1, hours: 24 });
    }),
  );
});
