/** Additions of deltas to the rows of rollups, as pure functions. */
import type { Sliced } from "../../workers/TimeSlices.ts";
import { integersOf } from "./encoding/BinaryArrays.ts";
import { DeviceTally } from "./encoding/DeviceTally.ts";
import { blockOf, packFigures } from "./encoding/LocationBlock.ts";
import { datesIn, type RollupSpan, spansOf } from "./RollupKeys.ts";
import type {
  Calendar,
  DeliveryAddition,
  DeliveryDelta,
  DeliveryKey,
  Deltas,
  EventAddition,
  LocationFigures,
  Mutable,
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
function* withDevices(
  sums: Iterable<DeliverySum>,
  devices: ReadonlyArray<Int32Array>,
): Sliced<ReadonlyArray<DeliveryAddition>> {
  const tally = new DeviceTally();
  const sets = new Map<string, Pick<DeliveryAddition, "devices" | "reached">>();
  const additions: Array<DeliveryAddition> = [];
  for (const { deltas: indexes, ...sum } of sums) {
    const text = indexes.join();
    let set = sets.get(text);
    if (set === undefined) {
      tally.clear();
      for (const index of indexes) for (const key of devices[index] ?? []) tally.add(key);
      sets.set(text, (set = { reached: tally.count, devices: tally.toSet() }));
    }
    additions.push({ ...sum, ...set });
    yield;
  }
  return additions;
}

/** Additions of deltas of deliveries to the rows of their days, and of their months where those have rows. */
export function* deliveryAdditions(
  { monthsBefore, timezone }: Calendar,
  deltas: ReadonlyArray<DeliveryDelta>,
): Sliced<ReadonlyArray<DeliveryAddition>> {
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
    yield;
  }
  return yield* withDevices(sums.values(), devices);
}

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
  *toBlocks(): Sliced<ReadonlyArray<EventAddition>> {
    const tally = new DeviceTally();
    const sums: Array<LocationFigures & RollupSpan> = [];
    for (const sum of this.#sums.values()) {
      tally.clear();
      for (const key of sum.devices) tally.add(key);
      sums.push({ ...sum, devices: tally.toSet() });
      yield;
    }
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
export function* eventAdditions(
  { monthsBefore, timezone }: Calendar,
  { transitions, visits: changes }: Pick<Deltas, "transitions" | "visits">,
): Sliced<ReadonlyArray<EventAddition>> {
  const dateOf = datesIn(timezone);
  const sums = new EventSums();
  for (const { devices, entries, exits, location_key, quarter } of transitions) {
    for (const span of spansOf(dateOf(quarter), monthsBefore)) {
      const own = sums.of(span, location_key);
      for (const sum of [sums.of(span, 0), own]) {
        sum.entries += entries;
        sum.exits += exits;
      }
      for (const key of devices) own.devices.push(key);
    }
    yield;
  }
  for (const { location_key, quarter, visitMicros, visits } of changes) {
    for (const span of spansOf(dateOf(quarter), monthsBefore)) {
      const own = sums.of(span, location_key);
      own.visits += visits;
      own.visitMicros += visitMicros;
    }
  }
  return yield* sums.toBlocks();
}
