import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { campaign, delivery, devices, locations, notification } from "./ReportHistory.ts";
import { reporting } from "./Reporting.ts";

type Search = Readonly<Record<string, string | undefined>>;

const on = (...notifications: ReadonlyArray<number>) => ({
  notifications: notifications.map((notification) => ({ notification, trigger: "on_enter" as const })),
});

layer(TestWaypost.shared)("The notification report", (it) => {
  it.effect(
    "the notification report has a row for every notification (K1.1, K1.2, K3.4, rows.notifications)",
    () =>
      Effect.gen(function* () {
        const report = yield* reporting({
          devices: devices(3),
          notifications: [
            notification("b"),
            notification("B"),
            notification("Gone", { deleted: true }),
            notification("most", { type: "survey" }),
          ],
          campaigns: [campaign("One", on(0, 3))],
          deliveries: [
            delivery(0, 0, { notification: 3 }),
            delivery(0, 0, { notification: 3 }),
            delivery(0, 1, { notification: 3, status: "failed" }),
            delivery(0, 1, { notification: 3, status: "queued" }),
            delivery(0, 1, { notification: 3, status: "handed_over" }),
            delivery(0, 1, { notification: 3, settledAt: testStart - 40 * 86_400_000 }),
            delivery(0, 0, { notification: 2 }),
          ],
        });
        const { data, meta } = yield* report.notifications();
        assert.deepStrictEqual(meta, { start: "2026-10-22", end: "2026-11-21", timezone: "UTC" });
        const noActivity = { sent: 0, delivered: 0, reach: 0 };
        assert.deepStrictEqual(data, [
          {
            id: report.ids.notifications[3],
            name: "most",
            status: "active",
            type: "survey",
            sent: 3,
            delivered: 2,
            reach: 33.3,
          },
          { id: report.ids.notifications[1], name: "B", status: "unused", type: "message", ...noActivity },
          { id: report.ids.notifications[0], name: "b", status: "active", type: "message", ...noActivity },
        ]);
      }),
  );

  it.effect(
    "a notification takes its status from all its campaigns (K3.2, reports.status, rows.s_notification)",
    () =>
      Effect.gen(function* () {
        const report = yield* reporting({
          notifications: ["1", "2", "3", "4", "5"].map((name) => notification(name)),
          campaigns: [
            campaign("Active", on(0)),
            campaign("Scheduled", { ...on(0, 1), startsAt: testStart + 1 }),
            campaign("Paused", { ...on(0, 1, 2), paused: true }),
            campaign("Ended", { ...on(0, 1, 2, 3), endsAt: testStart - 1 }),
            campaign("Gone", { ...on(4), deleted: true }),
          ],
        });
        const rows = (search: Search) =>
          Effect.map(report.notifications(search), ({ data }) =>
            data.map((row: any) => `${row.name} ${row.status}`),
          );
        const all = ["1 active", "2 scheduled", "3 paused", "4 ended", "5 unused"];
        assert.deepStrictEqual(yield* rows({}), all);
        for (const row of all) assert.deepStrictEqual(yield* rows({ status: row.slice(2) }), [row]);
        // The filter selects campaigns; the status still comes from all of them.
        assert.deepStrictEqual(yield* rows({ campaign_status: "paused" }), all.slice(0, 3));
        assert.deepStrictEqual(yield* rows({ campaign_status: "paused", status: "paused" }), ["3 paused"]);
        // A notification on no campaign is listed only without filters (K3).
        assert.deepStrictEqual(yield* rows({ content_type: "message" }), all.slice(0, 4));
        assert.deepStrictEqual(yield* rows({ activation: "on_enter", status: "unused" }), []);
      }),
  );

  it.effect(
    "a notification matches by type and trigger (K2, K3.1, reports.content_type, reports.range5)",
    () =>
      Effect.gen(function* () {
        const report = yield* reporting({
          devices: devices(1),
          locations: locations(1),
          groups: [{ members: [0] }],
          notifications: [notification("Message"), notification("Survey", { type: "survey" })],
          campaigns: [
            campaign("One", {
              locations: [0],
              notifications: [
                { notification: 0, trigger: "on_exit" },
                { notification: 1, trigger: "on_enter" },
              ],
            }),
            campaign("Two", { groups: [0], notifications: [{ notification: 0, trigger: "on_enter" }] }),
          ],
          deliveries: [delivery(0, 0, { trigger: "on_exit" }), delivery(1, 0)],
        });
        const { campaigns, groups, locations: stores } = report.ids;
        const rows = (search: Search) =>
          Effect.map(report.notifications(search), ({ data }) =>
            data.map((row: any) => [row.name, row.delivered]),
          );
        assert.deepStrictEqual(yield* rows({ activation: "on_exit" }), [["Message", 1]]);
        assert.deepStrictEqual(yield* rows({ activation: "on_enter" }), [
          ["Message", 1],
          ["Survey", 0],
        ]);
        assert.deepStrictEqual(yield* rows({ activation: "on_enter", campaign: campaigns[0] }), [
          ["Survey", 0],
        ]);
        assert.deepStrictEqual(yield* rows({ activation: "on_exit", content_type: "survey" }), []);
        assert.deepStrictEqual(yield* rows({ location_group: groups[0] }), [["Message", 1]]);
        assert.deepStrictEqual(yield* rows({ location: stores[0] }), [
          ["Message", 2],
          ["Survey", 0],
        ]);
        const other = yield* report.production(`/reports/notifications?campaign=${campaigns[0]}`);
        assert.deepStrictEqual([other.status, other.body.data], [200, []]);
      }),
  );

  it.effect(
    "deliveries of deleted campaigns count, unless a filter on campaigns is set (K8.4, rows.sent)",
    () =>
      Effect.gen(function* () {
        const report = yield* reporting({
          devices: devices(2),
          notifications: [notification("Shared")],
          campaigns: [campaign("Here", on(0)), campaign("Gone", { ...on(0), deleted: true })],
          deliveries: [
            delivery(0, 0),
            delivery(1, 1),
            delivery(1, 1, { status: "failed", trigger: "on_exit" }),
          ],
        });
        const figures = (search: Search) =>
          Effect.map(report.notifications(search), ({ data }) =>
            data.map((row: any) => [row.sent, row.delivered, row.reach]),
          );
        assert.deepStrictEqual(yield* figures({}), [[3, 2, 100]]);
        assert.deepStrictEqual(yield* figures({ content_type: "message" }), [[3, 2, 100]]);
        assert.deepStrictEqual(yield* figures({ activation: "on_enter" }), [[2, 2, 100]]);
        assert.deepStrictEqual(yield* figures({ campaign_status: "active" }), [[1, 1, 50]]);
        assert.deepStrictEqual(yield* figures({ campaign: report.ids.campaigns[0] }), [[1, 1, 50]]);
        assert.deepStrictEqual(yield* figures({ campaign: report.ids.campaigns[1] }), []);
      }),
  );
});
