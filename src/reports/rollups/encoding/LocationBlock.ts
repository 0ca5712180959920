/**
 * Blocks of locations, as `event_rollup` stores them: what a day or a month came to at each of many locations, in one row. `visits` holds for
 * each location, by ascending number, the gap to the number before, entries, exits, stays and how long those took; `devices` holds the sets of
 * devices that entered, end to end, in the same order (`DeviceSet.ts`). So counts are read without the devices, and blocks can be laid end to end.
 */
import { ByteWriter } from "./ByteWriter.ts";
import { type DeviceTally, setEnd } from "./DeviceSet.ts";
import type { LocationVisits } from "../RollupTypes.ts";

/** How many blocks the locations are dealt out to. Numbers of one workspace may lie apart, so it goes by their remainder. */
const BLOCKS = 32;

/** The block of all locations together, as location 0. */
export const allTogether = 0;

/** All blocks of locations. */
export const everyBlock: ReadonlyArray<number> = Array.from({ length: BLOCKS }, (_, block) => block + 1);

/** The block that a location is in; 0 stands for all of them, and is in a block of its own. */
export const blockOf = (locationKey: number): number =>
  locationKey === 0 ? allTogether : 1 + (locationKey % BLOCKS);

/** By what to sort locations so that those of a block lie together, in their order. */
export const orderInBlocks = (locationKey: number): number =>
  (locationKey % BLOCKS) * (2_147_483_648 / BLOCKS) + Math.floor(locationKey / BLOCKS);

const HALF = 4_294_967_296;

/** A block as its two columns. */
export interface PackedVisits {
  readonly visits: Uint8Array;
  readonly devices: Uint8Array;
}

/** Writes a block; locations by ascending number. */
export const packVisits = (block: ReadonlyArray<LocationVisits>): PackedVisits => {
  const visits = new ByteWriter();
  const devices = new ByteWriter();
  visits.count(block.length);
  let before = 0;
  for (const each of block) {
    visits.count(each.locationKey - before);
    before = each.locationKey;
    visits.count(each.entries);
    visits.count(each.exits);
    visits.count(each.stays < 0 ? -2 * each.stays - 1 : 2 * each.stays);
    visits.long(each.stayed);
    devices.bytes(each.devices);
  }
  return { visits: visits.take(), devices: devices.take() };
};

/**
 * Reads the figures of blocks that lie end to end. How long the stays took comes as the upper 32 bits and the lower: sums of either are exact.
 */
export const forEachVisit = (
  visits: Uint8Array,
  use: (
    locationKey: number,
    entries: number,
    exits: number,
    stays: number,
    high: number,
    low: number,
  ) => void,
): void => {
  let at = 0;
  const next = (): number => {
    let byte = visits[at++] ?? 0;
    if (byte < 128) return byte;
    let count = byte & 127;
    for (let unit = 128; byte > 127; unit *= 128) {
      byte = visits[at++] ?? 0;
      count += (byte & 127) * unit;
    }
    return count;
  };
  const word = (): number => {
    const bits =
      (visits[at] ?? 0) |
      ((visits[at + 1] ?? 0) << 8) |
      ((visits[at + 2] ?? 0) << 16) |
      ((visits[at + 3] ?? 0) << 24);
    at += 4;
    return bits;
  };
  while (at < visits.length) {
    let key = 0;
    for (let left = next(); left > 0; left--) {
      key += next();
      const [entries, exits, stays] = [next(), next(), next()];
      const low = word() >>> 0;
      use(key, entries, exits, stays % 2 === 1 ? -(stays + 1) / 2 : stays / 2, word(), low);
    }
  }
};

/** The microseconds of summed halves. */
export const wholeOf = (high: number, low: number): bigint => BigInt(high) * BigInt(HALF) + BigInt(low);

/** What a block holds, by ascending location. */
export const unpackVisits = ({ devices, visits }: PackedVisits): ReadonlyArray<LocationVisits> => {
  const block: Array<LocationVisits> = [];
  let at = 0;
  forEachVisit(visits, (locationKey, entries, exits, stays, high, low) => {
    const end = setEnd(devices, at);
    const stayed = wholeOf(high, low);
    block.push({ locationKey, entries, exits, stays, stayed, devices: devices.subarray(at, end) });
    at = end;
  });
  return block;
};

/** Blocks of the same locations added up, their devices united in the tally. */
export const uniteVisits = (blocks: ReadonlyArray<PackedVisits>, tally: DeviceTally): PackedVisits => {
  const parts = Map.groupBy(blocks.flatMap(unpackVisits), ({ locationKey }) => locationKey);
  const sums = [...parts.values()].map(([first, ...rest]) => {
    if (first === undefined) throw new Error("A group has something in it");
    if (rest.length === 0) return first;
    const sum = { ...first };
    tally.clear();
    tally.addSets(first.devices);
    for (const each of rest) {
      sum.entries += each.entries;
      sum.exits += each.exits;
      sum.stays += each.stays;
      sum.stayed += each.stayed;
      tally.addSets(each.devices);
    }
    return { ...sum, devices: tally.toSet() };
  });
  return packVisits(sums.toSorted((one, other) => one.locationKey - other.locationKey));
};
