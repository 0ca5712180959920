import type { Location } from "../data/Resources.ts";

/** Degrees east and north. */
export type Position = readonly [longitude: number, latitude: number];

/** The point of a location on a map: the centre of a circle, or the mean corner of a polygon. */
export const locationPoint = (geometry: Location["geometry"]): Position => {
  if (geometry.type === "Point") return geometry.coordinates;
  const corners = (geometry.coordinates[0] ?? []).slice(1);
  const mean = (axis: 0 | 1): number =>
    corners.reduce((sum, corner) => sum + corner[axis], 0) / Math.max(1, corners.length);
  return [mean(0), mean(1)];
};
