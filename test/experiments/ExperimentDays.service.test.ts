import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { CountSumsSql } from "../../src/experiments/CountSumsSql.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { addUpAll, enrolledWorld, hour, iso } from "./EnrolledWorld.ts";

const quarter = hour / 4;
/** The end of the campaign's day on which the test begins. */
const midnight = Date.parse("2026-11-21T23:00:00Z");
const timezone = "Europe/Amsterdam";

layer(TestWaypost.layer)("The days of an experiment", (it) => {
  it.effect("arms are shown at the end of each local day, exactly, also as CSV (U6.5)", () =>
    Effect.gen(function* () {
      const world = yield* enrolledWorld({ type: "visit", within_hours: 72 });
      const { campaignId, enrol, location, production } = world;
      const sql = yield* SqlClient.SqlClient;
      yield* Effect.orDie(
        sql`UPDATE campaign SET holdout_percent = 20, timezone = ${timezone} WHERE id = ${campaignId}`,
      );
      const path = `/campaigns/${campaignId}/experiment/days`;
      const days = Effect.map(production.platform(path), ({ body }) => body.data);
      assert.deepStrictEqual(yield* days, []);
      const phones = yield* Effect.forEach([0, 1, 2, 3], () => production.phone());
      type Phone = (typeof phones)[number];
      const [one, two, three, four] = phones as [Phone, Phone, Phone, Phone];
      yield* enrol(one, { at: midnight - quarter });
      yield* enrol(two, { at: midnight - 1 });
      yield* enrol(three, { at: midnight });
      yield* enrol(four, { at: midnight - 1, arm: "holdout" });
      yield* TestClock.setTime(midnight + 60 * hour);
      const visit = (phone: Phone, at: number) => phone.sees("enter", location, { occurred_at: iso(at) });
      // The later visit is reported first: the earlier one counts instead.
      yield* visit(one, midnight + 30 * hour);
      yield* visit(one, midnight - 60_000);
      yield* visit(two, midnight + 1);
      yield* visit(four, midnight + 24 * hour);
      const expected = [
        ["2026-11-21", "holdout", 1, 0],
        ["2026-11-21", "all", 2, 1],
        ["2026-11-22", "holdout", 1, 0],
        ["2026-11-22", "all", 3, 2],
        ["2026-11-23", "holdout", 1, 1],
        ["2026-11-23", "all", 3, 2],
      ];
      const shown = Effect.map(days, (rows) =>
        rows.map(({ converted, date, enrolled, key }: any) => [date, key, enrolled, converted]),
      );
      assert.deepStrictEqual(yield* shown, expected);
      yield* addUpAll;
      assert.deepStrictEqual(yield* shown, expected);
      assert.deepInclude((yield* days)[1], {
        notification_id: null,
        rate: 50,
        interval: [1.2579, 98.7421],
      });
      const csv = (yield* production.platform(`${path}?format=csv`)).body as string;
      assert.deepStrictEqual(csv.split("\r\n").slice(0, 3), [
        "date,notification_id,key,enrolled,converted,rate,interval_low,interval_high",
        "2026-11-21,,holdout,1,0,0,0,97.5",
        "2026-11-21,,all,2,1,50,1.2579,98.7421",
      ]);
    }).pipe(Effect.provide(CountSumsSql.layer)),
  );
});
