import type { BoundingBox } from "./BoundingBox.ts";
import { BoxTree } from "./BoxTree.ts";
import type { GeoPosition } from "../Location.ts";
import { type IndexedLocation, positionsHeld } from "./IndexedLocation.ts";
import { holds, isInRing } from "./Containment.ts";
import { distanceTo, leastDistanceTo } from "./BorderDistance.ts";
import { directionOf } from "./SphericalCap.ts";

/** A place and how far its edge is, in metres to a tenth; 0 inside. */
export interface NearbyLocation {
  readonly place: IndexedLocation;
  readonly meters: number;
}

/** The places of one environment as of one moment, to be searched; it never changes. */
export class LocationIndex {
  readonly #byKey: ReadonlyMap<number, IndexedLocation>;
  readonly #tree: BoxTree;
  /** Which place each leaf of the tree belongs to: a circle over the antimeridian has two. */
  readonly #owners: ReadonlyArray<IndexedLocation>;
  /** The ring of each leaf whose place is one ring: what most positions are held against, without a way through its place. */
  readonly #rings: ReadonlyArray<Float64Array | null>;
  /** Positions that it holds in memory. */
  readonly weight: number;

  private constructor(
    places: ReadonlyMap<number, IndexedLocation>,
    owners: ReadonlyArray<IndexedLocation>,
    tree: BoxTree,
  ) {
    this.#byKey = places;
    this.#owners = owners;
    this.#tree = tree;
    this.#rings = owners.map(({ outline }) => (outline?.ends.length === 1 ? outline.coordinates : null));
    // An environment without places takes room, too.
    let weight = 100;
    for (const place of places.values()) weight += positionsHeld(place);
    this.weight = weight;
  }

  /** Makes the index of these places at once: 10,000 take about ten milliseconds. */
  static of(places: ReadonlyMap<number, IndexedLocation>): LocationIndex {
    const making = LocationIndex.making(places);
    for (;;) {
      const { done, value } = making.next();
      if (done === true) return value;
    }
  }

  /** Makes it in steps that keep nobody waiting. */
  static *making(places: ReadonlyMap<number, IndexedLocation>): Generator<void, LocationIndex> {
    const owners: Array<IndexedLocation> = [];
    const boxes: Array<BoundingBox> = [];
    for (const place of places.values()) {
      for (const box of partsOf(place.box)) {
        owners.push(place);
        boxes.push(box);
      }
    }
    const tree = yield* BoxTree.making(boxes);
    yield;
    return new LocationIndex(
      places,
      Array.from(tree.order, (box) => owners[box] as IndexedLocation),
      tree,
    );
  }

  /** By the number that events know them by. */
  get places(): ReadonlyMap<number, IndexedLocation> {
    return this.#byKey;
  }

  /** All places that hold the position, their borders included. */
  at(position: GeoPosition): ReadonlyArray<IndexedLocation> {
    const [longitude, latitude] = position;
    // A pole lies on all meridians, and one meridian has two names.
    if (latitude === 90 || latitude === -90) return this.#search(-180, 180, position);
    if (longitude === 180 || longitude === -180)
      return [...new Set([...this.#search(-180, -180, position), ...this.#search(180, 180, position)])];
    const found: Array<IndexedLocation> = [];
    this.#tree.search(longitude, latitude, longitude, latitude, (leaf) => {
      const ring = this.#rings[leaf] as Float64Array | null;
      const place = this.#owners[leaf] as IndexedLocation;
      if (ring === null ? holds(place, position) : isInRing(ring, longitude, latitude)) found.push(place);
    });
    return found;
  }

  #search(west: number, east: number, position: GeoPosition): ReadonlyArray<IndexedLocation> {
    const found = new Set<IndexedLocation>();
    this.#tree.search(west, position[1], east, position[1], (leaf) => {
      const place = this.#owners[leaf] as IndexedLocation;
      if (holds(place, position)) found.add(place);
    });
    return [...found];
  }

  /**
   * Of the places with these numbers the nearest, by distance to the edge as it is shown, then id. What is no place here is
   * passed over.
   */
  nearest(
    position: GeoPosition,
    numbers: ReadonlyArray<number>,
    most: number,
  ): ReadonlyArray<NearbyLocation> {
    const point = directionOf(position);
    const candidates = numbers.flatMap((key) => {
      const place = this.#byKey.get(key);
      return place === undefined ? [] : [{ place, least: leastDistanceTo(place, point) }];
    });
    candidates.sort((a, b) => a.least - b.least);
    const found: Array<NearbyLocation> = [];
    for (const { least, place } of candidates) {
      const last = found[most - 1]?.meters ?? Infinity;
      // Farther ones could only be equal by rounding.
      if (least > last + 1) break;
      const meters = Math.round(distanceTo(place, position, last + 1) * 10) / 10;
      if (meters > last) continue;
      const at = found.findIndex(
        (near) => meters < near.meters || (meters === near.meters && place.id < near.place.id),
      );
      found.splice(at === -1 ? found.length : at, 0, { place, meters });
      if (found.length > most) found.pop();
    }
    return found;
  }
}

/** A box over the antimeridian is two. */
const partsOf = (box: BoundingBox): ReadonlyArray<BoundingBox> => {
  const [west, south, east, north] = box;
  return west <= east
    ? [box]
    : [
        [west, south, 180, north],
        [-180, south, east, north],
      ];
};
