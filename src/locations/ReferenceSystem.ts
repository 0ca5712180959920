/**
 * The coordinate reference system of GeoJSON. RFC 7946 has only WGS 84; the member `crs` is of the format of
 * 2008, which many programs still write (contract G7).
 */

/** WGS 84 by its names: longitude and latitude in degrees, perhaps with an ellipsoidal height. */
const acceptedNames = [
  /^(urn:ogc:def:crs:)?OGC:([\d.]*:)?CRS84$/i,
  /^(urn:ogc:def:crs:)?EPSG:([\d.]*:)?(4326|4979)$/i,
  /^https?:\/\/www\.opengis\.net\/def\/crs\/(OGC\/[\d.]+\/CRS84|EPSG\/[\d.]+\/(4326|4979))\/?$/i,
  /^CRS84$/i,
];

/** The sentence for a member `crs` that names another system, or none that can be recognized; else null. */
export const referenceSystemProblem = (crs: unknown): string | null => {
  if (crs === undefined || crs === null) return null;
  const name = nameOf(crs);
  if (name !== null && acceptedNames.some((accepted) => accepted.test(name))) return null;
  const found =
    name === null ? "this one cannot be recognized" : `this one is ${JSON.stringify(name.slice(0, 80))}`;
  return (
    `The coordinate reference system (crs) must be WGS 84, named CRS84, EPSG:4326 or EPSG:4979; ${found}. ` +
    "Convert the coordinates to longitude and latitude in degrees, and leave crs out."
  );
};

const nameOf = (crs: unknown): string | null => {
  if (typeof crs === "string") return crs.trim();
  const type = memberOf(crs, "type");
  const properties = memberOf(crs, "properties");
  if (type === "name") {
    const name = memberOf(properties, "name");
    return typeof name === "string" ? name.trim() : null;
  }
  // Before 2008 the type was the authority.
  const code = memberOf(properties, "code");
  return type === "EPSG" && (typeof code === "number" || typeof code === "string") ? `EPSG:${code}` : null;
};

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined;
