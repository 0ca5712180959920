/** GeoJSON of large polygons. */

/** A collection of features as bytes of JSON. */
export const collection = (features: string): string =>
  `{"type":"FeatureCollection","features":[${features}]}`;

/** A polygon around a circle; one that crosses goes around more than once. */
export const polygon = (name: number, positions: number, isCrossing: boolean): string => {
  const step = ((isCrossing ? 2.1 : 1) * 2 * Math.PI) / (positions - 1);
  const ring = Array.from({ length: positions - 1 }, (_, n) => [
    Number(Math.cos(n * step).toFixed(7)),
    Number(Math.sin(n * step).toFixed(7)),
  ]);
  return JSON.stringify({
    type: "Feature",
    geometry: { type: "Polygon", coordinates: [[...ring, ring[0]]] },
    properties: { name, external_id: name },
  });
};
