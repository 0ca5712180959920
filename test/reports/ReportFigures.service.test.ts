import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { campaign, delivery, devices, event, locations } from "./ReportHistory.ts";
import { noActivity, reporting } from "./Reporting.ts";

const ofDays = (body: any, field: string): ReadonlyArray<readonly [string, number]> =>
  body.data.daily.filter((day: any) => day[field] > 0).map((day: any) => [day.date, day[field]]);

layer(TestWaypost.shared)("The figures of reports", (it) => {
  it.effect(
    "an empty workspace's summary is 31 days of zeros (K4, K7.1, reports.end, reports.start, summary.totals)",
    () =>
      Effect.gen(function* () {
        // Noon of the 21st in UTC is the 22nd on Kiritimati.
        const { campaigns, summary } = yield* reporting({}, "Pacific/Kiritimati");
        const { data, meta } = yield* summary();
        assert.deepStrictEqual(meta, {
          start: "2026-10-23",
          end: "2026-11-22",
          timezone: "Pacific/Kiritimati",
        });
        assert.lengthOf(data.daily, 31);
        assert.deepStrictEqual(data.daily[0], { date: "2026-10-23", ...noActivity });
        assert.deepStrictEqual(data.daily[30], { date: "2026-11-22", ...noActivity });
        assert.deepStrictEqual(data.totals, {
          ...noActivity,
          campaigns: 0,
          active_campaigns: 0,
          registered_devices: 0,
        });
        assert.deepStrictEqual((yield* campaigns({ end: "2026-11-01" })).meta, {
          start: "2026-10-02",
          end: "2026-11-01",
          timezone: "Pacific/Kiritimati",
        });
      }),
  );

  it.effect("reports work in Production before the full API is enabled (B1, auth.7)", () =>
    Effect.gen(function* () {
      const { production } = yield* (yield* TestWaypost).tenant({ enabled: false });
      assert.strictEqual((yield* production("/reports/summary")).status, 200);
      const rows = yield* production("/reports/campaigns");
      assert.deepStrictEqual([rows.status, rows.body.data], [200, []]);
      assert.strictEqual(rows.headers.get("content-type"), "application/json");
    }),
  );

  it.effect(
    "deliveries count when they are known, failed and queued ones never (K1.1, summary.devices_reached)",
    () =>
      Effect.gen(function* () {
        const { campaigns, summary } = yield* reporting({
          devices: devices(3),
          campaigns: [campaign("One")],
          deliveries: [
            delivery(0, 0),
            delivery(0, 0),
            delivery(0, 1, { status: "failed" }),
            delivery(0, 1, { status: "queued" }),
            delivery(0, 1, { status: "handed_over" }),
          ],
        });
        const { totals } = (yield* summary()).data;
        assert.deepStrictEqual([totals.delivered, totals.devices_reached], [2, 1]);
        const [row] = (yield* campaigns()).data;
        assert.deepStrictEqual([row.delivered, row.engagement], [2, 33.3]);
      }),
  );

  it.effect("days are the zone's, with clock changes and skipped days (reports.range1, summary.daily)", () =>
    Effect.gen(function* () {
      const at = (iso: string) => delivery(0, 0, { settledAt: Date.parse(iso) });
      const past = (...deliveries: ReadonlyArray<string>) => ({
        devices: devices(1),
        campaigns: [campaign("One")],
        deliveries: deliveries.map(at),
      });
      // 25 hours: 2026-10-25 runs from 22:00Z to 23:00Z.
      const amsterdam = yield* reporting(
        past(
          "2026-10-24T21:59:59.999Z",
          "2026-10-24T22:00:00Z",
          "2026-10-25T22:59:59.999Z",
          "2026-10-25T23:00:00Z",
        ),
        "Europe/Amsterdam",
      );
      assert.deepStrictEqual(ofDays(yield* amsterdam.summary(), "delivered"), [
        ["2026-10-24", 1],
        ["2026-10-25", 2],
        ["2026-10-26", 1],
      ]);
      assert.strictEqual(
        (yield* amsterdam.summary({ start: "2026-10-25", end: "2026-10-25" })).data.totals.delivered,
        2,
      );
      // Samoa skipped the 30th: the 31st began at 10:00Z.
      const apia = yield* reporting(past("2011-12-30T09:59:59.999Z", "2011-12-30T10:00:00Z"), "Pacific/Apia");
      const range = { start: "2011-12-28", end: "2011-12-31" };
      const body = yield* apia.summary(range);
      assert.deepStrictEqual(ofDays(body, "delivered"), [
        ["2011-12-29", 1],
        ["2011-12-31", 1],
      ]);
      assert.lengthOf(body.data.daily, 4);
    }),
  );

  it.effect("a new time zone of the workspace holds for the past too (K6, K8.1)", () =>
    Effect.gen(function* () {
      const { summary, workspace } = yield* reporting({
        devices: devices(1),
        locations: locations(1),
        events: [event(0, 0, { occurredAt: Date.parse("2026-11-20T23:30:00Z") })],
      });
      assert.deepStrictEqual(ofDays(yield* summary(), "geofence_entries"), [["2026-11-20", 1]]);
      const workspaces = yield* Workspaces;
      yield* workspaces.update(workspace.id, ParsedBody.of({ timezone: "Europe/Amsterdam" as never }));
      const moved = yield* summary();
      assert.strictEqual(moved.meta.timezone, "Europe/Amsterdam");
      assert.deepStrictEqual(ofDays(moved, "geofence_entries"), [["2026-11-21", 1]]);
    }).pipe(Effect.orDie),
  );

  it.effect(
    "shares are of registered devices, round half away from zero and may exceed 100 (K4, rows.share)",
    () =>
      Effect.gen(function* () {
        const engagement = (reached: number, registered: number, unregistered = 0) =>
          Effect.gen(function* () {
            const { campaigns } = yield* reporting({
              devices: [
                ...devices(registered),
                ...Array.from({ length: unregistered }, () => ({ unregistered: true })),
              ],
              campaigns: [campaign("One")],
              deliveries: Array.from({ length: reached }, (_, device) => delivery(0, device)),
            });
            return (yield* campaigns()).data[0].engagement as number;
          });
        assert.strictEqual(yield* engagement(1, 16), 6.3);
        // 1.45 is less than itself in binary.
        assert.strictEqual(yield* engagement(29, 2000), 1.5);
        assert.strictEqual(yield* engagement(2, 3), 66.7);
        assert.strictEqual(yield* engagement(3, 2, 1), 150);
        assert.strictEqual(yield* engagement(1, 0, 1), 0);
        assert.strictEqual(yield* engagement(0, 0), 0);
      }),
  );
});
