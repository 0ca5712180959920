/** Shapes of locations as maps draw them. */

/** A GeoJSON position in degrees. */
export type Point = readonly [longitude: number, latitude: number];

/** A circle or a polygon, as the API gives it. */
export interface Shape {
  readonly geometry:
    | { readonly type: "Point"; readonly coordinates: Point }
    | { readonly type: "Polygon"; readonly coordinates: ReadonlyArray<ReadonlyArray<Point>> };
  readonly radius_meters: number | null;
}

/** Metres of a degree of latitude. */
const metersOfDegree = 111_195;
const corners = 48;

/** A circle of metres around a point, as a closed ring. */
const circleRing = ([lng, lat]: Point, meters: number): Array<Array<number>> => {
  const north = meters / metersOfDegree;
  const east = north / Math.max(Math.cos((lat * Math.PI) / 180), 0.01);
  return Array.from({ length: corners + 1 }, (_, index) => {
    const angle = ((index % corners) / corners) * 2 * Math.PI;
    return [lng + east * Math.cos(angle), lat + north * Math.sin(angle)];
  });
};

const earthMeters = 6_371_008.8;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** The distance of two points on the sphere, in metres. */
export const metersBetween = ([lngA, latA]: Point, [lngB, latB]: Point): number => {
  const [north, east] = [radians(latB - latA), radians(lngB - lngA)];
  const half =
    Math.sin(north / 2) ** 2 + Math.cos(radians(latA)) * Math.cos(radians(latB)) * Math.sin(east / 2) ** 2;
  return 2 * earthMeters * Math.asin(Math.min(1, Math.sqrt(half)));
};

/** The area within a ring on the sphere, in square kilometres. */
const ringArea = (ring: ReadonlyArray<Point>): number => {
  const doubled = ring.reduce((sum, [lng, lat], index) => {
    const [nextLng, nextLat] = ring[(index + 1) % ring.length] ?? [lng, lat];
    return sum + radians(nextLng - lng) * (Math.sin(radians(lat)) + Math.sin(radians(nextLat)));
  }, 0);
  return Math.abs(doubled / 2) * (earthMeters / 1000) ** 2;
};

/** The area of a shape, without the holes of a polygon, in square kilometres. */
export const areaOf = ({ geometry, radius_meters: radius }: Shape): number =>
  geometry.type === "Point"
    ? Math.PI * ((radius ?? 0) / 1000) ** 2
    : geometry.coordinates.reduce((sum, ring, index) => sum + (index === 0 ? 1 : -1) * ringArea(ring), 0);

/** The point on a circle due east of its centre. */
export const eastOf = ([lng, lat]: Point, meters: number): Point => [
  lng + meters / metersOfDegree / Math.max(Math.cos(radians(lat)), 0.01),
  lat,
];

/** The middle of the box around points. */
const middleOf = (points: ReadonlyArray<Point>): Point => {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lng, lat] of points) {
    [west, east] = [Math.min(west, lng), Math.max(east, lng)];
    [south, north] = [Math.min(south, lat), Math.max(north, lat)];
  }
  return [(west + east) / 2, (south + north) / 2];
};

/** The point that stands for a shape: the centre of a circle, the middle of a polygon. */
export const centreOf = ({ geometry }: Shape): Point =>
  geometry.type === "Point" ? geometry.coordinates : middleOf(geometry.coordinates[0] ?? []);

/** The outline of a shape. */
export const outlineOf = ({ geometry, radius_meters: radius }: Shape): GeoJSON.Polygon => ({
  type: "Polygon",
  coordinates:
    geometry.type === "Point"
      ? [circleRing(geometry.coordinates, radius ?? 0)]
      : geometry.coordinates.map((ring) => ring.map(([lng, lat]) => [lng, lat])),
});

/** The positions that a map must show for a shape to be seen whole. */
export const extentOf = (shape: Shape): ReadonlyArray<Point> =>
  (outlineOf(shape).coordinates[0] ?? []) as unknown as ReadonlyArray<Point>;

/** A collection of GeoJSON features. */
export const collectionOf = (features: Array<GeoJSON.Feature>): GeoJSON.FeatureCollection => ({
  type: "FeatureCollection",
  features,
});

/** A position as "52.37310, 4.89360": latitude first, as the fields have it. */
export const formatPosition = ([lng, lat]: Point): string => `${lat.toFixed(5)}, ${lng.toFixed(5)}`;

const pair = [
  /^([-+]?\d+\.\d+)\s*[,;\s]\s*([-+]?\d+\.\d+)$/,
  // With decimal commas, or whole degrees, another separator is needed: "52,36" is one number.
  /^([-+]?\d+(?:[.,]\d+)?)(?:\s*;\s*|,?\s+)([-+]?\d+(?:[.,]\d+)?)$/,
];

/** The position of a text with two numbers, latitude first; undefined for any other text. */
export const readPosition = (text: string): Point | undefined => {
  const [, ...numbers] = pair.map((each) => each.exec(text.trim())).find((match) => match !== null) ?? [];
  const [lat = NaN, lng = NaN] = numbers.map((each) => Number(each.replace(",", ".")));
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? [lng, lat] : undefined;
};
