/** The closed, counter-clockwise ring around a rectangle. */
export const box = (west: number, south: number, east: number, north: number): Array<[number, number]> => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

/** A valid Point feature, with the given properties changed. */
export const pointFeature = (properties: object = {}, coordinates: unknown = [4.9, 52.37]): object => ({
  type: "Feature",
  geometry: { type: "Point", coordinates },
  properties: { name: "Dam", radius: 100, ...properties },
});

/** A Polygon feature with these rings. */
export const polygonFeature = (...coordinates: ReadonlyArray<unknown>): object => ({
  type: "Feature",
  geometry: { type: "Polygon", coordinates },
  properties: { name: "Area" },
});

/** The body of an import. */
export const collection = (...features: ReadonlyArray<unknown>): object => ({
  type: "FeatureCollection",
  features,
});
