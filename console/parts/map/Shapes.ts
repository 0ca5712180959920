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
