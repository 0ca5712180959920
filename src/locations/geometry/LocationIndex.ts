/**
 * The locations of one environment as an index: which contain a position, and which are nearest. Positions
 * are in degrees, distances in metres. Containment is exact (Containment.ts), a distance right to a
 * thousandth (BorderDistance.ts) and rounded to 0.1 m. A tree over the bounding boxes selects the few
 * candidates; figures are in docs/decisions/0024-locations-in-memory.md.
 */
import type { GeoPosition } from "../Location.ts";
import { distanceTo, minDistanceTo } from "./BorderDistance.ts";
import { type BoundingBox, boxOfCircle } from "./BoundingBox.ts";
import { BoxTree } from "./BoxTree.ts";
import { contains, isInRing } from "./Containment.ts";
import { directionOf } from "./Direction.ts";
import { type IndexedLocation, memoryOf } from "./IndexedLocation.ts";
import type { LocationKey } from "../../wire/Ids.ts";

/** A location and the distance to its edge in metres, to a tenth; 0 inside. */
export interface NearbyLocation {
  readonly location: IndexedLocation;
  readonly meters: number;
}

/** Memory of an index without locations, in positions of 16 bytes. */
const emptyMemory = 100;

/** An index that is built once and never changes. */
export class LocationIndex {
  readonly locations: ReadonlyMap<LocationKey, IndexedLocation>;
  /** Memory in use, in positions of 16 bytes. */
  readonly memory: number;
  readonly #tree: BoxTree;
  /** The location of each leaf of the tree; one that crosses the antimeridian has two leaves. */
  readonly #owners: ReadonlyArray<IndexedLocation>;
  /** The ring of each leaf whose location has just one, as most have: a shortcut past the location. */
  readonly #rings: ReadonlyArray<Float64Array | null>;

  private constructor(
    locations: ReadonlyMap<LocationKey, IndexedLocation>,
    owners: ReadonlyArray<IndexedLocation>,
    tree: BoxTree,
  ) {
    this.locations = locations;
    this.#owners = owners;
    this.#tree = tree;
    this.#rings = owners.map(({ outline }) => (outline?.ends.length === 1 ? outline.coordinates : null));
    this.memory = [...locations.values()].reduce((sum, location) => sum + memoryOf(location), emptyMemory);
  }

  /** Builds the index without a pause: 10,000 locations take about ten milliseconds. */
  static of(locations: ReadonlyMap<LocationKey, IndexedLocation>): LocationIndex {
    const building = LocationIndex.build(locations);
    for (;;) {
      const { done, value } = building.next();
      if (done === true) return value;
    }
  }

  /** Builds the index; can be suspended wherever it yields. */
  static *build(locations: ReadonlyMap<LocationKey, IndexedLocation>): Generator<undefined, LocationIndex> {
    const owners: Array<IndexedLocation> = [];
    const boxes: Array<BoundingBox> = [];
    for (const location of locations.values()) {
      for (const box of splitAtAntimeridian(location.box)) {
        owners.push(location);
        boxes.push(box);
      }
    }
    const tree = yield* BoxTree.build(boxes);
    yield;
    const leaves = Array.from(tree.order, (box) => owners[box] as IndexedLocation);
    return new LocationIndex(locations, leaves, tree);
  }

  /** All locations that contain the position, their borders included. */
  at(position: GeoPosition): ReadonlyArray<IndexedLocation> {
    const [longitude, latitude] = position;
    // A pole lies on all meridians, and the antimeridian has two longitudes.
    if (latitude === 90 || latitude === -90) return this.#search(-180, 180, position);
    if (longitude === 180 || longitude === -180)
      return [...new Set([...this.#search(-180, -180, position), ...this.#search(180, 180, position)])];
    const found: Array<IndexedLocation> = [];
    this.#tree.search(longitude, latitude, longitude, latitude, (leaf) => {
      const ring = this.#rings[leaf] as Float64Array | null;
      const location = this.#owners[leaf] as IndexedLocation;
      if (ring === null ? contains(location, position) : isInRing(ring, longitude, latitude))
        found.push(location);
    });
    return found;
  }

  #search(west: number, east: number, position: GeoPosition): ReadonlyArray<IndexedLocation> {
    const found = new Set<IndexedLocation>();
    this.#tree.search(west, position[1], east, position[1], (leaf) => {
      const location = this.#owners[leaf] as IndexedLocation;
      if (contains(location, position)) found.add(location);
    });
    return [...found];
  }

  /**
   * All locations whose edge is at most so many metres from the position; can be suspended where it yields.
   */
  *within(position: GeoPosition, meters: number): Generator<undefined, ReadonlySet<IndexedLocation>> {
    const leaves: Array<number> = [];
    // The box is larger by the rounding of distances.
    for (const [west, south, east, north] of splitAtAntimeridian(boxOfCircle(position, meters + 1))) {
      this.#tree.search(west, south, east, north, (leaf) => {
        leaves.push(leaf);
      });
    }
    const point = directionOf(position);
    const found = new Set<IndexedLocation>();
    for (const leaf of leaves) {
      yield;
      const location = this.#owners[leaf] as IndexedLocation;
      if (minDistanceTo(location, point) > meters) continue;
      if (distanceTo(location, position, meters + 1) <= meters) found.add(location);
    }
    return found;
  }

  /** The nearest of the locations with these keys, by distance to the edge, then id. Ignores unknown keys. */
  nearest(
    position: GeoPosition,
    keys: ReadonlyArray<LocationKey>,
    limit: number,
  ): ReadonlyArray<NearbyLocation> {
    const point = directionOf(position);
    const candidates = keys.flatMap((key) => {
      const location = this.locations.get(key);
      return location === undefined ? [] : [{ location, min: minDistanceTo(location, point) }];
    });
    candidates.sort((a, b) => a.min - b.min);
    const found: Array<NearbyLocation> = [];
    for (const { location, min } of candidates) {
      const last = found[limit - 1]?.meters ?? Infinity;
      // One metre covers the rounding of both distances.
      if (min > last + 1) break;
      const meters = Math.round(distanceTo(location, position, last + 1) * 10) / 10;
      if (meters > last) continue;
      found.push({ location, meters });
      found.sort((a, b) => a.meters - b.meters || (a.location.id < b.location.id ? -1 : 1));
      if (found.length > limit) found.pop();
    }
    return found;
  }
}

/** A box that crosses the antimeridian becomes two. */
const splitAtAntimeridian = (box: BoundingBox): ReadonlyArray<BoundingBox> => {
  const [west, south, east, north] = box;
  return west <= east
    ? [box]
    : [
        [west, south, 180, north],
        [-180, south, east, north],
      ];
};
