import Flatbush from "flatbush";
import type { Position } from "./Location.ts";
import { type Place, weightOf } from "./Place.ts";
import { holds } from "./PlaceContainment.ts";
import { distanceTo, leastDistanceTo } from "./PlaceDistance.ts";
import { directionOf } from "./SphericalCap.ts";

/** A place and how far its edge is, in metres to a tenth; 0 inside. */
export interface NearPlace {
  readonly place: Place;
  readonly meters: number;
}

/** The places of one environment as of one moment, to be searched; it never changes. */
export class PlaceIndex {
  readonly #byNo: ReadonlyMap<number, Place>;
  readonly #tree: Flatbush | null;
  /** Which place each box of the tree belongs to: a circle over the antimeridian has two. */
  readonly #owners: ReadonlyArray<Place>;
  /** Positions that it holds in memory. */
  readonly weight: number;

  constructor(places: ReadonlyMap<number, Place>) {
    this.#byNo = places;
    // An environment without places takes room, too.
    let weight = 100;
    const owners: Array<Place> = [];
    for (const place of places.values()) {
      weight += weightOf(place);
      owners.push(place);
      if (isSplit(place)) owners.push(place);
    }
    this.weight = weight;
    this.#owners = owners;
    this.#tree = owners.length === 0 ? null : treeOf(places);
  }

  /** By the number that events know them by. */
  get places(): ReadonlyMap<number, Place> {
    return this.#byNo;
  }

  /** All places that hold the position, their borders included. */
  at(position: Position): ReadonlyArray<Place> {
    const [longitude, latitude] = position;
    // A pole lies on all meridians, and one meridian has two names.
    if (latitude === 90 || latitude === -90) return this.#search(-180, 180, position);
    const found = this.#search(longitude, longitude, position);
    if (longitude !== 180 && longitude !== -180) return found;
    return [...new Set([...found, ...this.#search(-longitude, -longitude, position)])];
  }

  #search(west: number, east: number, position: Position): ReadonlyArray<Place> {
    const found: Array<Place> = [];
    this.#tree?.search(west, position[1], east, position[1], (item) => {
      const place = this.#owners[item];
      if (place !== undefined && holds(place, position)) found.push(place);
      return false;
    });
    return west === east ? found : [...new Set(found)];
  }

  /**
   * Of the places with these numbers the nearest, by distance to the edge as it is shown, then id. What is no place here is
   * passed over.
   */
  nearest(position: Position, numbers: ReadonlyArray<number>, most: number): ReadonlyArray<NearPlace> {
    const point = directionOf(position);
    const candidates = numbers.flatMap((no) => {
      const place = this.#byNo.get(no);
      return place === undefined ? [] : [{ place, least: leastDistanceTo(place, point) }];
    });
    candidates.sort((a, b) => a.least - b.least);
    const found: Array<NearPlace> = [];
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

const isSplit = ({ box: [west, , east] }: Place): boolean => west > east;

const treeOf = (places: ReadonlyMap<number, Place>): Flatbush => {
  const boxes = [...places.values()].flatMap((place) => {
    const [west, south, east, north] = place.box;
    return isSplit(place)
      ? [[west, south, 180, north] as const, [-180, south, east, north] as const]
      : [place.box];
  });
  const tree = new Flatbush(boxes.length);
  for (const [west, south, east, north] of boxes) tree.add(west, south, east, north);
  tree.finish();
  return tree;
};
