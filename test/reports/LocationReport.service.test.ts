import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { campaign, devices, event, locations } from "./ReportHistory.ts";
import { reporting } from "./Reporting.ts";

type Search = Readonly<Record<string, string | undefined>>;

const minute = 60_000;
const enter = (minutes: number, device = 0, location = 0) =>
  event(location, device, { occurredAt: testStart + minutes * minute });
const exit = (minutes: number, device = 0, location = 0) =>
  event(location, device, { type: "exit", occurredAt: testStart + minutes * minute });

layer(TestWaypost.shared)("The location report", (it) => {
  it.effect(
    "the location report has a row for every location (K3.4, reports.range3, rows.locations, rows.share)",
    () =>
      Effect.gen(function* () {
        const report = yield* reporting({
          devices: devices(3),
          locations: [
            { name: "b", deleted: false },
            { name: "a", deleted: false },
            { name: "B", deleted: false },
            { name: "Gone", deleted: true },
            { name: "most", deleted: false },
          ],
          groups: [{ members: [4, 0] }, { members: [4] }],
          campaigns: [
            campaign("Active", { locations: [1], groups: [1] }),
            campaign("Paused", { locations: [2], paused: true }),
          ],
          events: [enter(0, 0, 4), exit(1, 0, 4), enter(2, 0, 4), enter(3, 0, 3)],
        });
        const { data, meta } = yield* report.locations();
        assert.deepStrictEqual(meta, { start: "2026-10-22", end: "2026-11-21", timezone: "UTC" });
        assert.deepStrictEqual(data[0], {
          id: report.ids.locations[4],
          name: "most",
          status: "active",
          groups: ["Group 0", "Group 1"],
          entries: 2,
          exits: 1,
          engagement: 33.3,
          dwell_minutes: 1,
        });
        const noActivity = { entries: 0, exits: 0, engagement: 0, dwell_minutes: null };
        const [, ...others] = data;
        assert.deepStrictEqual(others, [
          { id: report.ids.locations[2], name: "B", status: "idle", groups: [], ...noActivity },
          { id: report.ids.locations[1], name: "a", status: "active", groups: [], ...noActivity },
          { id: report.ids.locations[0], name: "b", status: "idle", groups: ["Group 0"], ...noActivity },
        ]);
      }),
  );

  it.effect("dwell pairs each entry with the same device's next exit there (K5, rows.dwell)", () =>
    Effect.gen(function* () {
      const dwell = (...events: ReadonlyArray<ReturnType<typeof event>>) =>
        Effect.gen(function* () {
          const report = yield* reporting({ devices: devices(2), locations: locations(2), events });
          return (yield* report.locations({ location: report.ids.locations[0] })).data[0].dwell_minutes;
        });
      assert.isNull(yield* dwell());
      assert.strictEqual(yield* dwell(enter(0), exit(5)), 5);
      // Two entries without an exit between pair with the same exit.
      assert.strictEqual(yield* dwell(enter(0), enter(4), exit(10), exit(90)), 8);
      // An exit of another device, from another location or from before is not this entry's exit.
      assert.isNull(yield* dwell(enter(0), exit(5, 1), exit(5, 0, 1), exit(-5)));
      // An exit at the entry's own instant belongs to an earlier entry: the next exit is later.
      assert.strictEqual(yield* dwell(enter(-3), exit(0), enter(0), exit(5)), 4);
      // The exit may be much later, even after the range; an entry before the range does not count.
      assert.strictEqual(yield* dwell(enter(0), exit(3 * 24 * 60)), 4320);
      assert.isNull(yield* dwell(enter(-40 * 24 * 60), exit(0)));
      // An entry without an exit is not in the average.
      assert.strictEqual(yield* dwell(enter(0), exit(3), enter(4)), 3);
      // Half away from zero: 0.25 minutes, and 0.15, which is less than itself as a binary fraction.
      assert.strictEqual(yield* dwell(enter(0), exit(0.25)), 0.3);
      assert.strictEqual(yield* dwell(enter(0), exit(0.15)), 0.2);
    }),
  );

  it.effect(
    "entries and their dwell count for on_enter and on_dwell (K2.4, K3.3, K5, P1.7, reports.activation)",
    () =>
      Effect.gen(function* () {
        const report = yield* reporting({
          devices: devices(1),
          locations: locations(2),
          events: [enter(0), exit(5)],
        });
        const figures = (search: Search) =>
          Effect.map(report.locations(search), ({ data }) =>
            data.map((row: any) => [row.entries, row.exits, row.engagement, row.dwell_minutes]),
          );
        // `activation` and `content_type` leave out no location (K3).
        const zeros = [0, 0, 0, null];
        assert.deepStrictEqual(yield* figures({ activation: "on_enter" }), [[1, 0, 100, 5], zeros]);
        assert.deepStrictEqual(yield* figures({ activation: "on_dwell" }), [[1, 0, 100, 5], zeros]);
        assert.deepStrictEqual(yield* figures({ activation: "on_exit" }), [[0, 1, 0, null], zeros]);
        assert.deepStrictEqual(yield* figures({ activation: "fixed_time" }), [zeros, zeros]);
        assert.deepStrictEqual(yield* figures({ content_type: "survey" }), [[1, 1, 100, 5], zeros]);
      }),
  );

  it.effect(
    "a filtered location takes its status from all campaigns (K2.3, K3.3, reports.range5, rows.s_location)",
    () =>
      Effect.gen(function* () {
        const report = yield* reporting({
          locations: locations(4),
          groups: [{ members: [1, 2] }],
          campaigns: [
            campaign("Active", { locations: [0], groups: [0] }),
            campaign("Paused", { paused: true, locations: [0, 3] }),
          ],
        });
        const { campaigns, groups, locations: stores } = report.ids;
        const rows = (search: Search) =>
          Effect.map(report.locations(search), ({ data }) =>
            data.map((row: any) => `${row.name} ${row.status}`),
          );
        assert.deepStrictEqual(yield* rows({ campaign_status: "paused" }), [
          "Store 0 active",
          "Store 3 idle",
        ]);
        assert.deepStrictEqual(yield* rows({ campaign: campaigns[1], status: "idle" }), ["Store 3 idle"]);
        assert.deepStrictEqual(yield* rows({ campaign: campaigns[0], campaign_status: "paused" }), []);
        assert.deepStrictEqual(yield* rows({ location_group: groups[0] }), [
          "Store 1 active",
          "Store 2 active",
        ]);
        assert.deepStrictEqual(yield* rows({ location_group: groups[0], location: stores[0] }), []);
        assert.deepStrictEqual(yield* rows({ status: "idle" }), ["Store 3 idle"]);
        // Another environment's id matches nothing (range rule 4).
        const other = yield* report.production(`/reports/locations?location=${stores[0]}`);
        assert.deepStrictEqual([other.status, other.body.data], [200, []]);
      }),
  );
});
