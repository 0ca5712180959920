/** Additions of deltas to the rows of rollups, as pure functions. */
import { integersOf } from "./encoding/BinaryArrays.ts";
import { DeviceTally } from "./encoding/DeviceTally.ts";
import { blockOf, packFigures } from "./encoding/LocationBlock.ts";
import { datesIn, type RollupSpan, spansOf } from "./RollupKeys.ts";
import type {
  Calendar,
  DeliveryAddition,
  DeliveryDelta,
  DeliveryKey,
  EventAddition,
  EventDelta,
  LocationFigures,
  Mutable,
  VisitChange,
} from "./RollupTypes.ts";

/** The sum of a row. `deltas` are the indexes of the deltas whose devices were reached. */
interface DeliverySum extends DeliveryKey {
  delivered: number;
  failed: number;
  readonly deltas: Array<number>;
}

/** The rows that a delivery is added to: its own, and those over all campaigns, by its kind and by any. */
const keysOf = ({
  campaign_key,
  content_type,
  notification_key,
  trigger_type,
}: DeliveryDelta): ReadonlyArray<Omit<DeliveryKey, keyof RollupSpan>> => {
  const all = { campaignKey: 0, notificationKey: 0, contentType: "", triggerType: "" };
  const [contentType, triggerType] = [content_type, trigger_type];
  return [
    { campaignKey: campaign_key, notificationKey: notification_key, contentType, triggerType },
    { ...all, contentType, triggerType },
    { ...all, contentType },
    { ...all, triggerType },
    all,
  ];
};

/** The sums with their sets of devices. Sums of the same deltas, as all of one send are, share one set. */
const withDevices = (
  sums: Iterable<DeliverySum>,
  devices: ReadonlyArray<Int32Array>,
): ReadonlyArray<DeliveryAddition> => {
  const tally = new DeviceTally();
  const sets = new Map<string, Pick<DeliveryAddition, "devices" | "reached">>();
  return [...sums].map(({ deltas: indexes, ...sum }) => {
    const text = indexes.join();
    let set = sets.get(text);
    if (set === undefined) {
      tally.clear();
      for (const index of indexes) for (const key of devices[index] ?? []) tally.add(key);
      sets.set(text, (set = { reached: tally.count, devices: tally.toSet() }));
    }
    return { ...sum, ...set };
  });
};

/** Additions of deltas of deliveries to the rows of their days, and of their months where those have rows. */
export const deliveryAdditions = (
  { monthsBefore, timezone }: Calendar,
  deltas: ReadonlyArray<DeliveryDelta>,
): ReadonlyArray<DeliveryAddition> => {
  const dateOf = datesIn(timezone);
  const sums = new Map<string, DeliverySum>();
  const devices = deltas.map((delta) => integersOf(delta.devices));
  for (const [index, delta] of deltas.entries()) {
    const count = devices[index]?.length ?? 0;
    for (const span of spansOf(dateOf(delta.quarter), monthsBefore)) {
      for (const part of keysOf(delta)) {
        const key: DeliveryKey = { ...span, ...part };
        const text = Object.values(key).join();
        let sum = sums.get(text);
        if (sum === undefined) sums.set(text, (sum = { ...key, delivered: 0, failed: 0, deltas: [] }));
        if (delta.status === "delivered") {
          sum.delivered += count;
          sum.deltas.push(index);
        } else sum.failed += count;
      }
    }
  }
  return withDevices(sums.values(), devices);
};

type EventSum = RollupSpan & Mutable<Omit<LocationFigures, "devices">> & { readonly devices: Array<number> };

/** The sums of rows by span and location, created on demand. */
class EventSums {
  readonly #sums = new Map<string, EventSum>();

  of({ span, startsOn }: RollupSpan, locationKey: number): EventSum {
    const key = `${span},${startsOn},${locationKey}`;
    let sum = this.#sums.get(key);
    if (sum === undefined) {
      const figures = { entries: 0, exits: 0, visits: 0, visitMicros: 0n, devices: [] };
      this.#sums.set(key, (sum = { span, startsOn, locationKey, ...figures }));
    }
    return sum;
  }

  /** The sums as blocks of locations. */
  toBlocks(): ReadonlyArray<EventAddition> {
    const tally = new DeviceTally();
    const sums = [...this.#sums.values()].map((sum) => {
      tally.clear();
      for (const key of sum.devices) tally.add(key);
      return { ...sum, devices: tally.toSet() };
    });
    const blocks = Map.groupBy(
      sums,
      ({ locationKey, span, startsOn }) => `${span},${startsOn},${blockOf(locationKey)}`,
    );
    return [...blocks.values()].flatMap((block) =>
      block.slice(0, 1).map(({ locationKey, span, startsOn }) => ({
        span,
        startsOn,
        block: blockOf(locationKey),
        ...packFigures(block.toSorted((one, other) => one.locationKey - other.locationKey)),
      })),
    );
  }
}

/**
 * Additions of deltas of events, and of the visits that they change, to the rows of their days, and of their
 * months where those have rows: to the block of their location, and to that of all locations.
 */
export const eventAdditions = (
  { monthsBefore, timezone }: Calendar,
  deltas: ReadonlyArray<EventDelta>,
  changes: ReadonlyArray<VisitChange & { readonly quarter: number }>,
): ReadonlyArray<EventAddition> => {
  const dateOf = datesIn(timezone);
  const sums = new EventSums();
  for (const { device_keys, location_keys, quarter, types } of deltas) {
    for (const span of spansOf(dateOf(quarter), monthsBefore)) {
      const all = sums.of(span, 0);
      for (const [index, location] of location_keys.entries()) {
        const own = sums.of(span, location);
        if (types[index] === "enter") {
          all.entries++;
          own.entries++;
          own.devices.push(device_keys[index] ?? 0);
        } else {
          all.exits++;
          own.exits++;
        }
      }
    }
  }
  for (const { location_key, quarter, visitMicros, visits } of changes) {
    for (const span of spansOf(dateOf(quarter), monthsBefore)) {
      const own = sums.of(span, location_key);
      own.visits += visits;
      own.visitMicros += visitMicros;
    }
  }
  return sums.toBlocks();
};
