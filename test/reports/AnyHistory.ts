import fc from "fast-check";
import { idAt } from "../../src/wire/Ids.ts";
import { testStart } from "../TestWaypost.ts";
import type { RecordedIds } from "./RecordedHistory.ts";
import type { PastCampaign, ReportHistory } from "./ReportHistory.ts";
import type { Asked } from "./ReportOracle.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Clocks that change within the range (Amsterdam, New York), half hours, and both ends of the date line. */
export const zones = [
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
    notifications: fc.uniqueArray(fc.record({ notification: place, trigger }), {
      maxLength: 3,
      selector: ({ notification }) => notification,
    }),
  })
  .map(({ lasts, starts, ...rest }) => ({
    ...rest,
    startsAt: testStart + starts,
    endsAt:
      lasts === null ? (rest.type === "push" ? testStart + starts + DAY : null) : testStart + starts + lasts,
  }));

const names = ["b", "a", "B", "é", "\u{1F600}", "\uFFFD", "a b", "10", "9"];
/** Few, so that names tie too. */
const name = fc.constantFrom(...names.slice(0, 5));

const anyHistory: fc.Arbitrary<ReportHistory> = fc.record({
  devices: fc.array(fc.record({ unregistered: fc.boolean() }), { minLength: 0, maxLength: 9 }),
  locations: fc.array(fc.record({ name, deleted: fc.constantFrom(true, false, false) }), {
    minLength: 5,
    maxLength: 5,
  }),
  groups: fc.array(fc.record({ members: places }), { minLength: 3, maxLength: 3 }),
  notifications: fc.array(
    fc.record({ name, type: contentType, deleted: fc.constantFrom(true, false, false, false) }),
    { minLength: 6, maxLength: 6 },
  ),
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
      notification: fc.nat({ max: 5 }),
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

/** Two of three deliveries carry the first notification of their campaign; the others what it no longer has. */
export const history = anyHistory.map((past) => ({
  ...past,
  deliveries: past.deliveries.map((delivery, place) => {
    const [on] = past.campaigns[delivery.campaign]?.notifications ?? [];
    return on === undefined || place % 3 === 0 ? delivery : { ...delivery, notification: on.notification };
  }),
}));

const unknown = 99;

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
  campaign: fc.constantFrom(0, 1, 2, 3, 4, unknown),
  location: fc.constantFrom(0, 1, 2, 3, 4, unknown),
  location_group: fc.constantFrom(0, 1, 2, unknown),
  activation: trigger,
  campaign_status: fc.constantFrom("active", "scheduled", "paused", "ended"),
  content_type: contentType,
  status: fc.nat({ max: 19 }),
});
type Request = typeof request extends fc.Arbitrary<infer A> ? A : never;

/** What a request can filter by. */
export const filters = [
  "campaign",
  "location",
  "location_group",
  "activation",
  "campaign_status",
  "content_type",
  "status",
] as const;

/** Mostly few filters at once, so that enough is left to count. */
export const sparse = fc
  .tuple(
    request,
    fc.oneof(
      { weight: 3, arbitrary: fc.shuffledSubarray([...filters], { minLength: 1, maxLength: 2 }) },
      { weight: 1, arbitrary: fc.subarray([...filters]) },
    ),
  )
  .map(([whole, kept]) => ({ whole, kept }));

/** The request about the ids that there are. */
export const asked = (
  { whole, kept }: { readonly whole: Request; readonly kept: ReadonlyArray<string> },
  ids: RecordedIds,
  statuses: ReadonlyArray<string>,
): Asked => {
  const [start = "", end = ""] = whole.range;
  const id = (of: ReadonlyArray<string>, at: number) => of[at] ?? idAt(testStart);
  const values = {
    ...whole,
    status: statuses[whole.status % statuses.length] ?? "",
    campaign: id(ids.campaigns, whole.campaign),
    location: id(ids.locations, whole.location),
    location_group: id(ids.groups, whole.location_group),
  };
  const given = Object.entries(values).filter(([name]) => kept.includes(name));
  return { start, end, ...Object.fromEntries(given) };
};
