import fc from "fast-check";
import { idAt } from "../../src/wire/Ids.ts";
import { testStart } from "../TestWaypost.ts";
import type { RecordedIds } from "./RecordedHistory.ts";
import type { PastCampaign, ReportHistory } from "./ReportHistory.ts";
import type { QueryParameters } from "./ReportOrder.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * Zones with a clock change in the range (Amsterdam, New York), half-hour offsets, and both ends of the date
 * line.
 */
export const zones = [
  "Europe/Amsterdam",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
];

const contentType = fc.constantFrom("message" as const, "survey" as const);
const trigger = fc.constantFrom(
  "on_enter" as const,
  "on_exit" as const,
  "on_dwell" as const,
  "fixed_time" as const,
);
const index = fc.nat({ max: 4 });
const indexes = fc.uniqueArray(index, { maxLength: 3 });
// Quarters of an hour and a millisecond around them, so that every border of a day comes up in any zone.
const instant = fc
  .tuple(fc.integer({ min: -36 * 96, max: 4 * 96 }), fc.constantFrom(-1, 0, 1))
  .map(([quarters, ms]) => Date.UTC(2026, 10, 21) + quarters * (HOUR / 4) + ms);

/** Milliseconds between a delivery and an interaction: none, within the day, or days. */
const later = fc.oneof(
  fc.constantFrom(0, 1, HOUR / 4),
  fc.integer({ min: 0, max: 96 * 12 }).map((quarters) => (quarters * HOUR) / 4),
);

const pastCampaign: fc.Arbitrary<Omit<PastCampaign, "name">> = fc
  .record({
    type: fc.constantFrom("geo" as const, "push" as const),
    starts: fc.constantFrom(-40 * DAY, -1, 0, 1, DAY),
    lasts: fc.option(fc.constantFrom(1, DAY, 40 * DAY)),
    paused: fc.boolean(),
    deleted: fc.constantFrom(true, false, false, false),
    locations: indexes,
    groups: fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 2 }),
    notifications: fc.uniqueArray(fc.record({ notification: index, trigger }), {
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
/** Few, so that some names are equal. */
const name = fc.constantFrom(...names.slice(0, 5));

/** So many of them. */
const list = <A>(of: fc.Arbitrary<A>, minLength: number, maxLength = minLength) =>
  fc.array(of, { minLength, maxLength });

const randomHistory = fc.record({
  devices: list(fc.record({ unregistered: fc.boolean() }), 0, 9),
  locations: list(fc.record({ name, deleted: fc.constantFrom(true, false, false) }), 5),
  groups: list(fc.record({ members: indexes }), 3),
  notifications: list(
    fc.record({ name, type: contentType, deleted: fc.constantFrom(true, false, false, false) }),
    6,
  ),
  campaigns: fc
    .tuple(list(pastCampaign, 5, 9), fc.shuffledSubarray(names, { minLength: 9 }))
    .map(([campaigns, names]) => campaigns.map((each, at) => ({ ...each, name: names[at] ?? "" }))),
  deliveries: list(
    fc.record({
      campaign: index,
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
      opened: fc.option(later),
      clicked: fc.option(later),
    }),
    60,
    150,
  ),
  events: list(
    fc.record({
      location: index,
      device: fc.nat({ max: 8 }),
      type: fc.constantFrom("enter" as const, "exit" as const),
      occurredAt: instant,
    }),
    60,
    150,
  ),
});

interface RandomDelivery {
  readonly status: string;
  readonly settledAt: number;
  readonly opened: number | null;
  readonly clicked: number | null;
}

/**
 * When a delivered message was opened and clicked: later by so much. One that was clicked was opened before
 * or then.
 */
const interactionsOf = ({ clicked, opened, settledAt, status }: RandomDelivery) => {
  if (status !== "delivered") return { openedAt: null, clickedAt: null };
  const first = opened ?? clicked;
  const openedAt = first === null ? null : settledAt + first;
  return { openedAt, clickedAt: clicked === null || openedAt === null ? null : openedAt + clicked };
};

/** A history. Two of three deliveries are of the first notification of their campaign; the others of any. */
export const anyHistory: fc.Arbitrary<ReportHistory> = randomHistory.map((past) => ({
  ...past,
  deliveries: past.deliveries.map(({ clicked, opened, ...rest }, at) => {
    const delivery = { ...rest, ...interactionsOf({ ...rest, clicked, opened }) };
    const [first] = past.campaigns[delivery.campaign]?.notifications ?? [];
    return first === undefined || at % 3 === 0 ? delivery : { ...delivery, notification: first.notification };
  }),
}));

const unknown = 99;

/**
 * The parameters of a request. Campaigns, locations and groups are list indexes, because ids do not exist
 * yet.
 */
const parameters = fc.record({
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
type Parameters = typeof parameters extends fc.Arbitrary<infer A> ? A : never;

/** A request: its parameters, and the names of the filters that it sends. */
export interface ReportRequest {
  readonly parameters: Parameters;
  readonly sent: ReadonlyArray<string>;
}

/** The filters of reports. */
export const filters = [
  "campaign",
  "location",
  "location_group",
  "activation",
  "campaign_status",
  "content_type",
  "status",
] as const;

/** A request, mostly with few filters, so that enough is left to count. */
export const anyRequest: fc.Arbitrary<ReportRequest> = fc
  .tuple(
    parameters,
    fc.oneof(
      { weight: 3, arbitrary: fc.shuffledSubarray([...filters], { minLength: 1, maxLength: 2 }) },
      { weight: 1, arbitrary: fc.subarray([...filters]) },
    ),
  )
  .map(([parameters, sent]) => ({ parameters, sent }));

/** The query of a request about recorded ids, and a status of the report's. */
export const queryOf = (
  { parameters, sent }: ReportRequest,
  ids: RecordedIds,
  statuses: ReadonlyArray<string>,
): QueryParameters => {
  const [start = "", end = ""] = parameters.range;
  const id = (known: ReadonlyArray<string>, at: number) => known[at] ?? idAt(testStart);
  const values = {
    ...parameters,
    status: statuses[parameters.status % statuses.length] ?? "",
    campaign: id(ids.campaigns, parameters.campaign),
    location: id(ids.locations, parameters.location),
    location_group: id(ids.groups, parameters.location_group),
  };
  const filtered = Object.entries(values).filter(([name]) => sent.includes(name));
  return { start, end, ...Object.fromEntries(filtered) };
};
