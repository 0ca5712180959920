import type { TimeZoneName } from "../../time/TimeZone.ts";
import { DeviceTally } from "./encoding/DeviceSet.ts";
import { daysIn, type RollupSpan, spansOf } from "./RollupKeys.ts";
import type {
  ChangedStays,
  DeliveryAddition,
  EventAddition,
  DeliveryDeltas,
  EventDeltas,
  LocationVisits,
} from "./RollupTypes.ts";
import { integersOf } from "./encoding/BinaryArrays.ts";
import { blockOf, packVisits } from "./encoding/LocationBlock.ts";

/** `fed` are the places of the feed rows that tell which devices were reached. */
type DeliverySum = Omit<DeliveryAddition, "devices" | "reached"> & { readonly fed: Array<number> };
type EventSum = RollupSpan & Omit<LocationVisits, "devices"> & { readonly devices: Array<number> };

/** The sums with their devices as sets. */
const sets = <Sum extends { readonly devices: ReadonlyArray<number> }>(sums: ReadonlyMap<string, Sum>) => {
  const tally = new DeviceTally();
  return [...sums.values()].map((sum) => {
    tally.clear();
    for (const key of sum.devices) tally.add(key);
    return { ...sum, devices: tally.toSet() };
  });
};

/** The sums with their devices as sets, and how many those are. Sums of the same feed rows, as all of a send are, share one set. */
const reachedSets = (
  sums: ReadonlyMap<string, DeliverySum>,
  keys: ReadonlyArray<Int32Array>,
): ReadonlyArray<DeliveryAddition> => {
  const tally = new DeviceTally();
  const made = new Map<string, Pick<DeliveryAddition, "devices" | "reached">>();
  return [...sums.values()].map(({ fed, ...sum }) => {
    const key = fed.join();
    let reached = made.get(key);
    if (reached === undefined) {
      tally.clear();
      for (const place of fed) for (const key of keys[place] ?? []) tally.add(key);
      made.set(key, (reached = { reached: tally.count, devices: tally.toSet() }));
    }
    return { ...sum, ...reached };
  });
};

type Mutable<A> = { -readonly [name in keyof A]: A[name] };

/** The zone that days are local in, and before which day months begin that have rows. */
export interface AddedTo {
  readonly timezone: string;
  readonly monthsBefore: string;
}

/**
 * What settled deliveries add to each row: those of their day and of its month, if that has any, for their own key, and over all campaigns for
 * each of type and trigger as they are and for any.
 */
export const deliveryAdditions = (
  { monthsBefore, timezone }: AddedTo,
  fed: ReadonlyArray<DeliveryDeltas>,
): ReadonlyArray<DeliveryAddition> => {
  const dayOf = daysIn(timezone as TimeZoneName);
  const sums = new Map<string, Mutable<DeliverySum>>();
  const deviceKeys = fed.map(({ devices }) => integersOf(devices));
  for (const [
    place,
    { campaign_key, content_type, notification_key, quarter, status, trigger_type },
  ] of fed.entries()) {
    const count = deviceKeys[place]?.length ?? 0;
    const keys: ReadonlyArray<readonly [number, number, string, string]> = [
      [campaign_key, notification_key, content_type, trigger_type],
      [0, 0, content_type, trigger_type],
      [0, 0, content_type, ""],
      [0, 0, "", trigger_type],
      [0, 0, "", ""],
    ];
    for (const { span, startsOn } of spansOf(dayOf(quarter), monthsBefore)) {
      for (const [campaignKey, notificationKey, contentType, triggerType] of keys) {
        const key = [span, startsOn, campaignKey, notificationKey, contentType, triggerType].join();
        let sum = sums.get(key);
        if (sum === undefined) {
          const named = { span, startsOn, campaignKey, notificationKey, contentType, triggerType };
          sums.set(key, (sum = { ...named, delivered: 0, failed: 0, fed: [] }));
        }
        if (status === "delivered") {
          sum.delivered += count;
          sum.fed.push(place);
        } else sum.failed += count;
      }
    }
  }
  return reachedSets(sums, deviceKeys);
};

/** What events, and the stays that they changed, add to each row: those of their day and of its month, if that has any, for their location and for all. */
export const eventAdditions = (
  { monthsBefore, timezone }: AddedTo,
  fed: ReadonlyArray<EventDeltas>,
  stays: ReadonlyArray<ChangedStays>,
): ReadonlyArray<EventAddition> => {
  const dayOf = daysIn(timezone as TimeZoneName);
  const sums = new Map<string, Mutable<EventSum>>();
  const sumOf = (span: "day" | "month", startsOn: string, locationKey: number) => {
    const key = `${span},${startsOn},${locationKey}`;
    const found = sums.get(key);
    if (found !== undefined) return found;
    const sum = { span, startsOn, locationKey, entries: 0, exits: 0, stays: 0, stayed: 0n, devices: [] };
    sums.set(key, sum);
    return sum as Mutable<EventSum>;
  };
  for (const { device_keys, location_keys, quarter, types } of fed) {
    for (const { span, startsOn } of spansOf(dayOf(quarter), monthsBefore)) {
      const all = sumOf(span, startsOn, 0);
      for (const [place, location] of location_keys.entries()) {
        const own = sumOf(span, startsOn, location);
        if (types[place] === "enter") {
          all.entries++;
          own.entries++;
          own.devices.push(device_keys[place] ?? 0);
        } else {
          all.exits++;
          own.exits++;
        }
      }
    }
  }
  for (const changed of stays) {
    for (const { span, startsOn } of spansOf(dayOf(changed.quarter), monthsBefore)) {
      const own = sumOf(span, startsOn, changed.location_key);
      own.stays += changed.stays;
      own.stayed += changed.stayed;
    }
  }
  const blocks = Map.groupBy(
    sets(sums),
    ({ locationKey, span, startsOn }) => `${span},${startsOn},${blockOf(locationKey)}`,
  );
  return [...blocks.values()].flatMap((block) =>
    block.slice(0, 1).map(({ locationKey, span, startsOn }) => ({
      span,
      startsOn,
      block: blockOf(locationKey),
      ...packVisits(block.toSorted((one, other) => one.locationKey - other.locationKey)),
    })),
  );
};
