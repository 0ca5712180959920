import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";

const id = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

/** Query string, report, and the message of each field. */
const refused: ReadonlyArray<
  readonly [string, "summary" | "campaigns" | "locations" | "notifications", Readonly<Record<string, RegExp>>]
> = [
  ["start=21-11-2026", "summary", { start: /^The start must be an existing date .*YYYY-MM-DD\.$/ }],
  ["end=2026-11-21T00:00:00Z", "summary", { end: /^The end must be an existing date/ }],
  ["start=2026-02-30&end=2026-03-01", "campaigns", { start: /existing date/ }],
  ["start=", "campaigns", { start: /existing date/ }],
  [
    "start=2026-11-02&end=2026-11-01",
    "summary",
    { end: /^The end \(2026-11-01\) cannot be before the start \(2026-11-02\)\.$/ },
  ],
  [
    "start=2025-11-20&end=2026-11-22",
    "campaigns",
    { start: /^The start can be at most 366 days before the end \(2026-11-22\): 2025-11-21 or later\.$/ },
  ],
  ["start=2025-11-19", "summary", { start: /at most 366 days before the end \(2026-11-21\)/ }],
  [
    "start=2026-11-22",
    "summary",
    { end: /2026-11-21 \(today in UTC\) when it is left out.*send an end too\.$/ },
  ],
  ["campaign=12", "summary", { campaign: /^The campaign must be a UUID\.$/ }],
  [`location=${id}0`, "campaigns", { location: /UUID/ }],
  ["location_group=all", "summary", { location_group: /^The location group must be a UUID\.$/ }],
  ["campaign=%00", "summary", { campaign: /UUID/ }],
  [
    "activation=enter",
    "summary",
    { activation: /^The activation must be on_enter, on_exit, on_dwell, fixed_time or on_event\.$/ },
  ],
  [
    "campaign_status=idle",
    "summary",
    { campaign_status: /^The campaign status must be active, scheduled, paused or ended\.$/ },
  ],
  ["content_type=image", "campaigns", { content_type: /^The content type must be message or survey\.$/ }],
  ["status=idle", "campaigns", { status: /active, scheduled, paused or ended\.$/ }],
  ["status=unused", "campaigns", { status: /active, scheduled, paused or ended\.$/ }],
  ["status=ACTIVE", "campaigns", { status: /active, scheduled/ }],
  ["status=paused", "locations", { status: /^The status of a row in this report is active or idle\.$/ }],
  ["status=unused", "locations", { status: /active or idle\.$/ }],
  ["status=idle", "notifications", { status: /active, scheduled, paused, ended or unused\.$/ }],
  ["status=", "notifications", { status: /ended or unused\.$/ }],
  [
    "start=x&end=2026-11-01&location=y&status=ended&content_type=image",
    "locations",
    { start: /existing date/, location: /UUID/, status: /active or idle/, content_type: /message or survey/ },
  ],
  ["start=2025-11-19", "notifications", { start: /at most 366 days/ }],
  ["campaign=a&campaign=b", "summary", { campaign: /^The campaign must be given once\.$/ }],
  [
    "start=2026-11-02&end=2026-11-01&campaign=x&location=y&location_group=z&activation=a&" +
      "campaign_status=b&content_type=c&status=d",
    "campaigns",
    {
      end: /before the start/,
      campaign: /UUID/,
      location: /UUID/,
      location_group: /UUID/,
      activation: /on_enter/,
      campaign_status: /active/,
      content_type: /message/,
      status: /active/,
    },
  ],
];

layer(TestWaypost.shared)("The parameters of reports", (it) => {
  it.effect(
    "each wrong parameter is refused (B4.1, errors.validation_failed, reports.bad_length, reports.bad_order)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant();
        for (const [search, report, fields] of refused) {
          const { body, status } = yield* sandbox(`/reports/${report}?${search}`);
          assert.strictEqual(status, 422, search);
          assert.strictEqual(body.error.code, "validation_failed", search);
          assert.sameMembers(Object.keys(body.error.fields), Object.keys(fields), search);
          for (const [field, message] of Object.entries(fields)) {
            assert.lengthOf(body.error.fields[field], 1, search);
            assert.match(body.error.fields[field][0], message, search);
          }
        }
      }),
  );

  it.effect("parameters work up to their limits (B4.2, K7.1, reports.range2, summary.daily)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const days = [
        ["start=2025-11-20&end=2026-11-21", 367],
        ["start=2025-11-20", 367],
        ["start=2026-11-21", 1],
        ["start=2027-01-01&end=2027-01-02", 2],
        ["end=1970-01-05", 31],
        ["start=9999-12-31&end=9999-12-31", 1],
        [`campaign=${id.toUpperCase()}&unknown=1`, 31],
      ] as const;
      for (const [search, count] of days) {
        const { body, status } = yield* sandbox(`/reports/summary?${search}`);
        assert.strictEqual(status, 200, search);
        assert.lengthOf(body.data.daily, count, search);
      }
    }),
  );

  it.effect("the summary ignores `status`, whatever its value (K7.2)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      for (const status of ["active", "idle", "nonsense", ""]) {
        assert.strictEqual((yield* sandbox(`/reports/summary?status=${status}`)).status, 200);
      }
    }),
  );

  it.effect(
    "without reports:read every request is 403, before its parameters (B1.3, auth.2, reports.ability)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* (yield* TestWaypost).tenant({ abilities: ["campaigns:read"] });
        for (const report of ["summary", "campaigns", "locations", "notifications"]) {
          const { body, status } = yield* sandbox(`/reports/${report}?start=x`);
          assert.strictEqual(status, 403);
          assert.strictEqual(body.error.code, "missing_ability");
        }
      }),
  );
});
