import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { idAt } from "../../src/wire/Ids.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { campaign, delivery, devices, event, locations, notification } from "./ReportHistory.ts";
import { noActivity, reporting } from "./Reporting.ts";

layer(TestWaypost.shared)("The filters and rows of reports", (it) => {
  it.effect(
    "deliveries of a deleted campaign count in totals; it has no row and matches no filter (E10.3, K8.2)",
    () =>
      Effect.gen(function* () {
        const { campaigns, ids, summary } = yield* reporting({
          devices: devices(2),
          campaigns: [campaign("Gone", { deleted: true }), campaign("Here")],
          deliveries: [delivery(0, 0, { type: "survey", trigger: "on_exit" }), delivery(1, 1)],
        });
        const delivered = (search: Readonly<Record<string, string | undefined>>) =>
          Effect.map(summary(search), (body) => body.data.totals.delivered as number);
        assert.strictEqual(yield* delivered({}), 2);
        assert.strictEqual(yield* delivered({ content_type: "survey" }), 1);
        assert.strictEqual(yield* delivered({ activation: "on_exit" }), 1);
        assert.strictEqual(yield* delivered({ campaign: ids.campaigns[0] }), 0);
        assert.strictEqual(yield* delivered({ campaign_status: "active" }), 1);
        assert.deepStrictEqual(
          (yield* campaigns()).data.map((row: any) => row.name),
          ["Here"],
        );
      }),
  );

  it.effect("events at a deleted location count in totals; it matches no id (K2.4, K8.3)", () =>
    Effect.gen(function* () {
      const { ids, summary } = yield* reporting({
        devices: devices(1),
        locations: [
          { name: "Gone", deleted: true },
          { name: "Here", deleted: false },
        ],
        groups: [{ members: [0, 1] }],
        campaigns: [campaign("One", { locations: [0, 1] })],
        events: [event(0, 0), event(0, 0, { type: "exit" }), event(1, 0)],
      });
      const counts = (search: Readonly<Record<string, string | undefined>>) =>
        Effect.map(summary(search), ({ data }) => [data.totals.geofence_entries, data.totals.geofence_exits]);
      assert.deepStrictEqual(yield* counts({}), [2, 1]);
      assert.deepStrictEqual(yield* counts({ activation: "on_exit" }), [0, 1]);
      assert.deepStrictEqual(yield* counts({ activation: "fixed_time" }), [0, 0]);
      assert.deepStrictEqual(yield* counts({ content_type: "survey" }), [2, 1]);
      assert.deepStrictEqual(yield* counts({ location: ids.locations[0] }), [0, 0]);
      assert.deepStrictEqual(yield* counts({ location_group: ids.groups[0] }), [1, 0]);
      assert.deepStrictEqual(yield* counts({ campaign: ids.campaigns[0] }), [1, 0]);
    }),
  );

  it.effect(
    "the campaign report has a row for every matching campaign (K3.4, K7.3, rows.campaigns, rows.s_campaign)",
    () =>
      Effect.gen(function* () {
        const { campaigns, ids } = yield* reporting({
          devices: devices(2),
          locations: locations(3),
          groups: [{ members: [1, 2] }, { members: [2] }],
          campaigns: [
            campaign("b", { locations: [0, 1], groups: [0, 1] }),
            campaign("B", { paused: true, groups: [0] }),
            campaign("a", { startsAt: testStart + 1 }),
            campaign("most", { type: "push", endsAt: testStart - 1 }),
          ],
          deliveries: [delivery(3, 0, { trigger: "fixed_time" })],
        });
        const [most, ...others] = (yield* campaigns()).data;
        assert.deepStrictEqual(most, {
          id: ids.campaigns[3],
          name: "most",
          status: "ended",
          type: "push",
          targets: 0,
          delivered: 1,
          engagement: 50,
        });
        // `targets` counts distinct locations, through groups too (K7).
        assert.deepStrictEqual(
          others.map((row: any) => [row.name, row.status, row.targets, row.delivered, row.engagement]),
          [
            ["B", "paused", 2, 0, 0],
            ["a", "scheduled", 0, 0, 0],
            ["b", "active", 3, 0, 0],
          ],
        );
        const paused = yield* campaigns({ status: "paused" });
        assert.deepStrictEqual(
          paused.data.map((row: any) => row.name),
          ["B"],
        );
        assert.deepStrictEqual((yield* campaigns({ status: "paused", campaign_status: "active" })).data, []);
      }),
  );

  it.effect(
    "a campaign matches if one notification meets all filters (K1.3, K2.1, K2.2, summary.campaigns)",
    () =>
      Effect.gen(function* () {
        const { campaigns, summary } = yield* reporting({
          devices: devices(1),
          notifications: [notification("Survey", { type: "survey" }), notification("Message")],
          campaigns: [
            campaign("Both", { notifications: [{ notification: 0, trigger: "on_enter" }] }),
            campaign("Each", {
              notifications: [
                { notification: 0, trigger: "on_exit" },
                { notification: 1, trigger: "on_enter" },
              ],
            }),
          ],
          // A delivery counts by its own type and trigger, not by those of its campaign now.
          deliveries: [delivery(1, 0, { type: "survey", trigger: "on_enter" })],
        });
        const both = { content_type: "survey", activation: "on_enter" };
        assert.deepStrictEqual(
          (yield* campaigns(both)).data.map((row: any) => [row.name, row.delivered]),
          [["Both", 0]],
        );
        const { totals } = (yield* summary(both)).data;
        assert.deepStrictEqual([totals.campaigns, totals.active_campaigns, totals.delivered], [1, 1, 1]);
      }),
  );

  it.effect(
    "a location filter counts its campaigns' deliveries (K2, reports.location, reports.location_group)",
    () =>
      Effect.gen(function* () {
        const { campaigns, ids } = yield* reporting({
          devices: devices(1),
          locations: locations(2),
          groups: [{ members: [0] }, { members: [0] }],
          campaigns: [
            campaign("Direct", { locations: [0] }),
            campaign("Through", { groups: [0] }),
            campaign("Elsewhere", { locations: [1] }),
          ],
          deliveries: [delivery(0, 0), delivery(1, 0), delivery(2, 0)],
        });
        const names = (search: Readonly<Record<string, string | undefined>>) =>
          Effect.map(campaigns(search), ({ data }) => data.map((row: any) => row.name));
        assert.deepStrictEqual(yield* names({ location: ids.locations[0] }), ["Direct", "Through"]);
        // The group itself must be targeted; a target on its location is not enough.
        assert.deepStrictEqual(yield* names({ location_group: ids.groups[0] }), ["Through"]);
        assert.deepStrictEqual(yield* names({ location_group: ids.groups[1] }), []);
        assert.deepStrictEqual(
          yield* names({ location: ids.locations[1], location_group: ids.groups[0] }),
          [],
        );
      }),
  );

  it.effect(
    "a report shows nothing of other environments (A2.2, reports.range4, reports.range5, summary.registered)",
    () =>
      Effect.gen(function* () {
        const { ids, production, summary } = yield* reporting({
          devices: devices(2),
          locations: locations(1),
          campaigns: [campaign("One", { locations: [0] })],
          deliveries: [delivery(0, 0)],
          events: [event(0, 0)],
        });
        const nothing = { ...noActivity, campaigns: 0, active_campaigns: 0 };
        const other = yield* production("/reports/summary");
        assert.deepStrictEqual(other.body.data.totals, { ...nothing, registered_devices: 0 });
        assert.deepStrictEqual(
          (yield* production(`/reports/campaigns?campaign=${ids.campaigns[0]}`)).body.data,
          [],
        );
        for (const name of ["campaign", "location", "location_group"]) {
          const { totals } = (yield* summary({ [name]: idAt(testStart) })).data;
          assert.deepStrictEqual(totals, { ...nothing, registered_devices: 2 }, name);
        }
      }),
  );
});
