import { assert, layer } from "@effect/vitest";
import { Effect, Schema } from "effect";
import fc from "fast-check";
import { CampaignRow, ReportOf, Summary } from "../../src/reports/Report.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import type { PastCampaign, RecordedIds, ReportHistory } from "./ReportHistory.ts";
import { record } from "./ReportHistory.ts";
import { type Asked, ReportOracle } from "./ReportOracle.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

// Clocks that change within the range (Amsterdam, New York), half hours, and both ends of the date line.
const zones = [
  "Europe/Amsterdam",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
];

const contentType = fc.constantFrom("message" as const, "survey" as const);
const trigger = fc.constantFrom("on_enter" as const, "on_exit" as const, "fixed_time" as const);
const place = fc.nat({ max: 4 });
const places = fc.uniqueArray(place, { maxLength: 3 });
// Quarters of an hour and a millisecond around them: every border of a day, in any zone, comes up.
const instant = fc
  .tuple(fc.integer({ min: -36 * 96, max: 4 * 96 }), fc.constantFrom(-1, 0, 1))
  .map(([quarters, ms]) => Date.UTC(2026, 10, 21) + quarters * (HOUR / 4) + ms);

const pastCampaign: fc.Arbitrary<Omit<PastCampaign, "name">> = fc
  .record({
    type: fc.constantFrom("geo" as const, "push" as const),
    starts: fc.constantFrom(-40 * DAY, -1, 0, 1, DAY),
    lasts: fc.option(fc.constantFrom(1, DAY, 40 * DAY)),
    paused: fc.boolean(),
    deleted: fc.constantFrom(true, false, false, false),
    locations: places,
    groups: fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 2 }),
    notifications: fc.array(fc.record({ type: contentType, trigger }), { maxLength: 2 }),
  })
  .map(({ lasts, starts, ...rest }) => ({
    ...rest,
    startsAt: testStart + starts,
    endsAt:
      lasts === null ? (rest.type === "push" ? testStart + starts + DAY : null) : testStart + starts + lasts,
  }));

const names = ["b", "a", "B", "é", "\u{1F600}", "\uFFFD", "a b", "10", "9"];

const history: fc.Arbitrary<ReportHistory> = fc.record({
  devices: fc.array(fc.record({ unregistered: fc.boolean() }), { minLength: 0, maxLength: 9 }),
  locations: fc.array(fc.record({ deleted: fc.constantFrom(true, false, false) }), {
    minLength: 5,
    maxLength: 5,
  }),
  groups: fc.array(fc.record({ members: places }), { minLength: 3, maxLength: 3 }),
  campaigns: fc
    .tuple(
      fc.array(pastCampaign, { minLength: 5, maxLength: 9 }),
      fc.shuffledSubarray(names, { minLength: 9 }),
    )
    .map(([campaigns, names]) => campaigns.map((each, at) => ({ ...each, name: names[at] ?? "" }))),
  deliveries: fc.array(
    fc.record({
      campaign: place,
      device: fc.nat({ max: 8 }),
      type: contentType,
      trigger,
      status: fc.constantFrom(
        "delivered" as const,
        "delivered" as const,
        "failed" as const,
        "queued" as const,
      ),
      settledAt: instant,
    }),
    { minLength: 60, maxLength: 150 },
  ),
  events: fc.array(
    fc.record({
      location: place,
      device: fc.nat({ max: 8 }),
      type: fc.constantFrom("enter" as const, "exit" as const),
      occurredAt: instant,
    }),
    { minLength: 60, maxLength: 150 },
  ),
});

/** One request: which of the known ids it names is settled once there are ids. */
const request = fc.record({
  range: fc.constantFrom(
    ["2026-10-22", "2026-11-21"],
    ["2026-10-20", "2026-11-24"],
    ["2026-11-01", "2026-11-21"],
    ["2026-10-25", "2026-10-25"],
    ["2026-10-31", "2026-11-02"],
    ["2026-11-21", "2026-11-23"],
  ),
  campaign: fc.nat({ max: 6 }),
  location: fc.nat({ max: 6 }),
  location_group: fc.nat({ max: 4 }),
  activation: trigger,
  campaign_status: fc.constantFrom("active", "scheduled", "paused", "ended"),
  content_type: contentType,
  status: fc.constantFrom("active", "scheduled", "paused", "ended"),
});
type Request = typeof request extends fc.Arbitrary<infer A> ? A : never;

const filters = [
  "campaign",
  "location",
  "location_group",
  "activation",
  "campaign_status",
  "content_type",
  "status",
] as const;

/** Mostly few filters at once, so that enough is left to count. */
const sparse = fc
  .tuple(
    request,
    fc.oneof(
      { weight: 3, arbitrary: fc.shuffledSubarray([...filters], { minLength: 1, maxLength: 2 }) },
      { weight: 1, arbitrary: fc.subarray([...filters]) },
    ),
  )
  .map(([whole, kept]) => ({ whole, kept }));

const asked = (
  { whole, kept }: { readonly whole: Request; readonly kept: ReadonlyArray<string> },
  ids: RecordedIds,
): Asked => {
  const [start = "", end = ""] = whole.range;
  const id = (of: ReadonlyArray<string>, at: number) => of[at] ?? idAt(testStart);
  const values = {
    ...whole,
    campaign: id(ids.campaigns, whole.campaign),
    location: id(ids.locations, whole.location),
    location_group: id(ids.groups, whole.location_group),
  };
  const given = Object.entries(values).filter(([name]) => kept.includes(name));
  return { start, end, ...Object.fromEntries(given) };
};

const strictly = { onExcessProperty: "error", errors: "all" } as const;
const decodeSummary = Schema.decodeUnknownSync(ReportOf(Summary), strictly);
const decodeRows = Schema.decodeUnknownSync(ReportOf(Schema.Array(CampaignRow)), strictly);

layer(TestWaypost.layer)("The reports", (it) => {
  const workspaces = 12;
  it.effect(
    "say what a plain reading of the rules says of any history, filters and range (K1–K4, K7, K8)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const found = yield* Workspaces;
        const histories = fc.sample(history, { numRuns: 2 * workspaces, seed: 20_261_121 });
        const requests = fc.sample(sparse, { numRuns: 2 * workspaces * 12, seed: 1_121_026 });
        const telling = new Map<string, number>();
        for (let made = 0; made < workspaces; made++) {
          const zone = zones[made % zones.length] ?? "UTC";
          const tenant = yield* waypost.tenant({ timezone: zone });
          const { workspaceId } = yield* Effect.orDie(found.find(tenant.workspace.id));
          // Both environments have a past, with the same device numbers: neither may show in the other.
          for (const [half, environment] of (["sandbox", "production"] as const).entries()) {
            const number = 2 * made + half;
            const past = histories[number] as ReportHistory;
            const ids = yield* record(workspaceId, environment, past);
            const oracle = new ReportOracle(past, ids, zone, testStart);
            for (const one of requests.slice(number * 12, number * 12 + 12)) {
              const query = asked(one, ids);
              const search = new URLSearchParams(query).toString();
              const about = `history ${number} in ${zone}, ${search}`;
              const meta = { start: query.start, end: query.end, timezone: zone };
              const summary = yield* tenant[environment](`/reports/summary?${search}`);
              assert.deepStrictEqual(summary.body, { data: oracle.summary(query), meta }, about);
              const rows = yield* tenant[environment](`/reports/campaigns?${search}`);
              assert.deepStrictEqual(rows.body, { data: oracle.campaigns(query), meta }, about);
              const decoded = decodeRows(rows.body);
              const { delivered, geofence_entries, geofence_exits } = decodeSummary(summary.body).data.totals;
              const isTold = delivered > 0 && geofence_entries + geofence_exits > 0;
              for (const name of Object.keys(query)) {
                const key =
                  isTold && decoded.data.some((row) => row.delivered > 0) ? name : `${name} of nothing`;
                telling.set(key, (telling.get(key) ?? 0) + 1);
              }
            }
          }
        }
        // Zeros alone would prove nothing: each filter must have let something through, often.
        for (const name of filters) assert.isAtLeast(telling.get(name) ?? 0, 6, name);
      }),
    120_000,
  );
});
