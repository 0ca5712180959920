import type { GeoPosition } from "../../../src/locations/Location.ts";
import { boundingCircle } from "../../../src/locations/geometry/BoundingCircle.ts";
import { type IndexedLocation, toIndexedLocation } from "../../../src/locations/geometry/IndexedLocation.ts";
import { LocationKey } from "../../../src/wire/Ids.ts";

const earth = 6371008.8;
const radians = Math.PI / 180;

/** Great-circle distance in metres, by the haversine formula. */
export const haversine = ([x1, y1]: GeoPosition, [x2, y2]: GeoPosition): number => {
  const h =
    Math.sin(((y2 - y1) * radians) / 2) ** 2 +
    Math.cos(y1 * radians) * Math.cos(y2 * radians) * Math.sin(((x2 - x1) * radians) / 2) ** 2;
  return 2 * earth * Math.asin(Math.min(1, Math.sqrt(h)));
};

const idOf = (key: number): string => `00000000-0000-7000-8000-${String(key).padStart(12, "0")}`;

/** A circle for an index. */
export const circle = (
  key: number,
  [longitude, latitude]: GeoPosition,
  radius_meters: number,
): IndexedLocation =>
  toIndexedLocation({
    key: LocationKey(key),
    id: idOf(key),
    revision: key,
    longitude,
    latitude,
    radius_meters,
    rings: null,
  });

/** A polygon for an index, of closed rings. */
export const polygon = (
  key: number,
  ...rings: ReadonlyArray<ReadonlyArray<GeoPosition>>
): IndexedLocation => {
  const { latitude, longitude, radiusMeters } = boundingCircle({ type: "Polygon", coordinates: rings });
  return toIndexedLocation({
    key: LocationKey(key),
    id: idOf(key),
    revision: key,
    longitude,
    latitude,
    radius_meters: radiusMeters,
    rings,
  });
};

/** Locations by their keys. */
export const byKey = (locations: ReadonlyArray<IndexedLocation>): ReadonlyMap<LocationKey, IndexedLocation> =>
  new Map(locations.map((location) => [location.key, location]));

/** The minimum distance from a point to the outline of rings in metres, found by trying points along it. */
export const sampledDistance = (
  point: GeoPosition,
  ...rings: ReadonlyArray<ReadonlyArray<GeoPosition>>
): number => {
  let min = Infinity;
  const tries = 400;
  for (const ring of rings) {
    ring.forEach(([x, y], index) => {
      const [fromX, fromY] = ring[index - 1] ?? [x, y];
      const at = (share: number) =>
        haversine(point, [fromX + share * (x - fromX), fromY + share * (y - fromY)]);
      let best = 0;
      for (let step = 1; step <= tries; step++) if (at(step / tries) < at(best / tries)) best = step;
      // The minimum lies between the neighbours of the best try.
      let low = Math.max(0, best - 1) / tries;
      let high = Math.min(tries, best + 1) / tries;
      for (let round = 0; round < 60; round++) {
        const third = (high - low) / 3;
        if (at(low + third) < at(high - third)) high -= third;
        else low += third;
      }
      min = Math.min(min, at(low), at(best / tries));
    });
  }
  return min;
};
