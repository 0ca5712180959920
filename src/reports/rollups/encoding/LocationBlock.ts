/**
 * The format of a row of `event_rollup`: the figures of a day or a month at a block of locations. `figures`
 * holds for each location, by ascending key: the gap to the key before, entries, exits, visits and their
 * length in microseconds. `devices` holds the sets of devices that entered, end to end, in the same order
 * (`DeviceSet.ts`). So counts are read without the devices, and blocks can lie end to end.
 */
import type { LocationFigures } from "../RollupTypes.ts";
import { ByteWriter } from "./ByteWriter.ts";
import { setEnd } from "./DeviceSet.ts";
import type { DeviceTally } from "./DeviceTally.ts";

/** Blocks go by the remainder of the key, because the keys of a workspace may lie apart. */
const BLOCKS = 32;

/** The block of all locations together, as location 0. */
export const allLocations = 0;

/** The blocks of single locations. */
export const locationBlocks: ReadonlyArray<number> = Array.from({ length: BLOCKS }, (_, block) => block + 1);

/** The block of a location. */
export const blockOf = (locationKey: number): number =>
  locationKey === 0 ? allLocations : 1 + (locationKey % BLOCKS);

/** A block as its two columns. */
export interface LocationBlock {
  readonly figures: Uint8Array;
  readonly devices: Uint8Array;
}

/** Writes a block; its locations by ascending key. */
export const packFigures = (locations: ReadonlyArray<LocationFigures>): LocationBlock => {
  const figures = new ByteWriter();
  const devices = new ByteWriter();
  figures.count(locations.length);
  let before = 0;
  for (const each of locations) {
    figures.count(each.locationKey - before);
    before = each.locationKey;
    figures.count(each.entries);
    figures.count(each.exits);
    // The lowest bit is the sign.
    figures.count(each.visits < 0 ? -2 * each.visits - 1 : 2 * each.visits);
    figures.long(each.visitMicros);
    devices.bytes(each.devices);
  }
  return { figures: figures.take(), devices: devices.take() };
};

/** Reads the figures of blocks that lie end to end, front to back. */
class FigureCursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  count(): number {
    let byte = this.#bytes[this.#at++] ?? 0;
    if (byte < 128) return byte;
    let count = byte & 127;
    for (let unit = 128; byte > 127; unit *= 128) {
      byte = this.#bytes[this.#at++] ?? 0;
      count += (byte & 127) * unit;
    }
    return count;
  }

  word(): number {
    const at = this.#at;
    this.#at += 4;
    return (
      (this.#bytes[at] ?? 0) |
      ((this.#bytes[at + 1] ?? 0) << 8) |
      ((this.#bytes[at + 2] ?? 0) << 16) |
      ((this.#bytes[at + 3] ?? 0) << 24)
    );
  }
}

/**
 * Reads the figures of blocks that lie end to end. The length of the visits comes as its upper and lower 32
 * bits, whose sums are exact; `joinHalves` makes microseconds of them.
 */
export const forEachLocation = (
  figures: Uint8Array,
  use: (
    locationKey: number,
    entries: number,
    exits: number,
    visits: number,
    high: number,
    low: number,
  ) => void,
): void => {
  const cursor = new FigureCursor(figures);
  while (!cursor.isAtEnd) {
    let key = 0;
    for (let left = cursor.count(); left > 0; left--) {
      key += cursor.count();
      const entries = cursor.count();
      const exits = cursor.count();
      const visits = cursor.count();
      const low = cursor.word() >>> 0;
      use(key, entries, exits, visits % 2 === 1 ? -(visits + 1) / 2 : visits / 2, cursor.word(), low);
    }
  }
};

/** Joins the sums of upper and lower 32 bits. */
export const joinHalves = (high: number, low: number): bigint => BigInt(high) * 4_294_967_296n + BigInt(low);

/** Reads a block, by ascending location. */
export const unpackFigures = ({ devices, figures }: LocationBlock): ReadonlyArray<LocationFigures> => {
  const locations: Array<LocationFigures> = [];
  let offset = 0;
  forEachLocation(figures, (locationKey, entries, exits, visits, high, low) => {
    const end = setEnd(devices, offset);
    const visitMicros = joinHalves(high, low);
    const set = devices.subarray(offset, end);
    locations.push({ locationKey, entries, exits, visits, visitMicros, devices: set });
    offset = end;
  });
  return locations;
};

/** Adds up rows of the same block and unites their devices. The tally's content is replaced. */
export const uniteBlocks = (blocks: ReadonlyArray<LocationBlock>, tally: DeviceTally): LocationBlock => {
  const byLocation = Map.groupBy(blocks.flatMap(unpackFigures), ({ locationKey }) => locationKey);
  const sums = [...byLocation.values()].map(([first, ...rest]) => {
    if (first === undefined) throw new Error("A group has at least one element");
    if (rest.length === 0) return first;
    const sum = { ...first };
    tally.clear();
    tally.addSets(first.devices);
    for (const each of rest) {
      sum.entries += each.entries;
      sum.exits += each.exits;
      sum.visits += each.visits;
      sum.visitMicros += each.visitMicros;
      tally.addSets(each.devices);
    }
    return { ...sum, devices: tally.toSet() };
  });
  return packFigures(sums.toSorted((one, other) => one.locationKey - other.locationKey));
};
