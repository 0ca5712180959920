import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { OccurrencePlanner } from "../../../src/campaigns/recurrence/OccurrencePlanner.ts";
import { at, drain, manualWorkers, once, running, start } from "../ManualWorkers.ts";
import { recurringWorld, runAt } from "./RecurringWorld.ts";

layer(manualWorkers)("Sends while the database's clock jumps", (it) => {
  for (const [jump, ahead] of [
    ["ahead by three hours", "2026-11-21T15:30:00Z"],
    ["back by three hours", "2026-11-21T09:30:00Z"],
    ["ahead by two days", "2026-11-23T12:30:00Z"],
  ] as const)
    it.effect(`a send reaches each device once, although the clock jumps ${jump} and returns (L5)`, () =>
      Effect.gen(function* () {
        const { deliveries, figures } = yield* running();
        yield* at(ahead);
        yield* start;
        yield* drain;
        yield* at("2026-11-21T12:30:10Z");
        yield* start;
        yield* drain;
        yield* at("2026-11-21T12:31:00Z");
        yield* start;
        yield* drain;
        assert.deepStrictEqual(yield* figures, ["done", 100, 100, 0]);
        assert.deepStrictEqual(yield* deliveries, once(100));
      }),
    );

  it.effect("a batch whose worker was killed during a jump ahead is taken over after it (L5)", () =>
    Effect.gen(function* () {
      const { deliveries, figures } = yield* running();
      const sql = yield* SqlClient.SqlClient;
      const lost = yield* sql`
        UPDATE send_batch SET leased_until = '2026-11-21T15:30:10Z', fence = fence + 1 RETURNING batch`;
      assert.isNotEmpty(lost);
      yield* at("2026-11-21T12:30:10Z");
      yield* drain;
      assert.deepStrictEqual(yield* figures, ["done", 100, 100, 0]);
      assert.deepStrictEqual(yield* deliveries, once(100));
    }),
  );

  it.effect(
    "dates that are planned during a jump ahead are planned once, and none is left out (L5, V2.5)",
    () =>
      Effect.gen(function* () {
        const { sends } = yield* recurringWorld("FREQ=DAILY");
        const dates = Effect.map(sends, (all) => all.map((send) => send.slice(0, 10)));
        const before = yield* dates;
        assert.lengthOf(before, 36);
        // Two days ahead the planner plans two more dates.
        yield* at("2026-11-23T12:00:00Z");
        yield* Effect.flatMap(OccurrencePlanner, ({ planDue }) => planDue);
        assert.lengthOf(yield* dates, 38);
        yield* runAt("2026-11-21T12:00:10Z");
        for (const day of ["22", "23", "24"]) yield* runAt(`2026-11-${day}T12:00:00Z`);
        const after = yield* dates;
        assert.deepStrictEqual(after, [...new Set(after)]);
        assert.lengthOf(after, 39);
      }),
  );
});
