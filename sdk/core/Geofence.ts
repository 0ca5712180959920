/** A position in degrees, with its radius of uncertainty in metres. */
export interface Fix {
  readonly latitude: number;
  readonly longitude: number;
  readonly accuracy: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

type Ring = ReadonlyArray<ReadonlyArray<number>>;

/** A geofence as `GET /geofences` shows it. */
export interface Geofence {
  readonly location_id: string;
  readonly type: string;
  readonly center: { readonly latitude: number; readonly longitude: number };
  readonly radius_meters: number;
  readonly geometry: { readonly type: string; readonly coordinates: unknown };
  /** Metres from the position of the request to the edge; 0 inside. */
  readonly distance_meters: number;
}

const earthRadius = 6_371_008.8;
const radians = Math.PI / 180;

/** A longitude from -180 to 180. */
const wrapped = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180;

/** The distance between two positions in metres, along a great circle. */
export const metersBetween = (
  a: { readonly latitude: number; readonly longitude: number },
  b: { readonly latitude: number; readonly longitude: number },
): number => {
  const north = Math.sin(((b.latitude - a.latitude) * radians) / 2);
  const east = Math.sin(((b.longitude - a.longitude) * radians) / 2);
  const chord = north * north + Math.cos(a.latitude * radians) * Math.cos(b.latitude * radians) * east * east;
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(chord)));
};

const ringsOf = ({ coordinates, type }: Geofence["geometry"]): ReadonlyArray<ReadonlyArray<Ring>> =>
  type === "MultiPolygon"
    ? (coordinates as ReadonlyArray<ReadonlyArray<Ring>>)
    : [coordinates as ReadonlyArray<Ring>];

/**
 * Metres from a fix to the edge of a polygon, negative inside. Edges are straight in longitude and latitude,
 * and measured on a plane around the fix: exact near it, where it decides.
 */
const toPolygon = (geometry: Geofence["geometry"], { latitude, longitude }: Fix): number => {
  const perDegree = earthRadius * radians;
  const eastward = perDegree * Math.cos(latitude * radians);
  let isInside = false;
  let nearest = Infinity;
  for (const rings of ringsOf(geometry)) {
    let crossings = 0;
    for (const ring of rings)
      for (let index = 1; index < ring.length; index += 1) {
        const [fromLongitude = 0, fromLatitude = 0] = ring[index - 1] ?? [];
        const [toLongitude = 0, toLatitude = 0] = ring[index] ?? [];
        const x = wrapped(fromLongitude - longitude) * eastward;
        const y = (fromLatitude - latitude) * perDegree;
        const dx = wrapped(toLongitude - fromLongitude) * eastward;
        const dy = (toLatitude - fromLatitude) * perDegree;
        const length = dx * dx + dy * dy;
        const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(x * dx + y * dy) / length));
        nearest = Math.min(nearest, Math.hypot(x + share * dx, y + share * dy));
        if (y > 0 !== y + dy > 0 && x - (y * dx) / dy > 0) crossings += 1;
      }
    if (crossings % 2 === 1) isInside = true;
  }
  return isInside ? -nearest : nearest;
};

/** Metres from a fix to the edge of a geofence, negative inside. */
export const metersToEdge = (fence: Geofence, fix: Fix): number =>
  fence.type === "circle"
    ? metersBetween(fence.center, fix) - fence.radius_meters
    : toPolygon(fence.geometry, fix);
