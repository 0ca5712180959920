import { readRadius, readText } from "./FeatureProperties.ts";
import { readPosition } from "./geometry/Coordinates.ts";
import { describeValue, type Reject, tooManyValues } from "./geometry/FeatureRejection.ts";
import { readPolygon } from "./geometry/PolygonRings.ts";
import type { Shape } from "./Location.ts";
import { referenceSystemProblem } from "./ReferenceSystem.ts";

/** An imported feature: a location to create or to update. */
export interface ParsedFeature {
  readonly _tag: "ParsedFeature";
  readonly name: string;
  readonly externalId: string | null;
  readonly group: string | null;
  readonly shape: Shape;
}

/** A feature that cannot be a location: its name if that is valid, and every reason as a sentence. */
export interface RejectedFeature {
  readonly _tag: "RejectedFeature";
  readonly name: string | null;
  readonly reasons: ReadonlyArray<string>;
}

/** Reads one feature of an import, any JSON value, without throwing; gives every reason (contract G2, G3). */
export const readFeature = (feature: unknown): ParsedFeature | RejectedFeature => {
  const reasons: Array<string> = [];
  const reject: Reject = (reason) => void reasons.push(reason);
  if (!isObject(feature)) {
    reject(`A feature must be a JSON object with the type "Feature"; this one is ${describeValue(feature)}.`);
    return { _tag: "RejectedFeature", name: null, reasons };
  }
  const type = own(feature, "type");
  if (type !== "Feature")
    reject(`A feature must have the type "Feature"; this one has ${describeValue(type)}.`);
  rejectOtherSystem(feature, reject);
  const sent = own(feature, "properties") ?? {};
  if (!isObject(sent))
    reject(`The properties must be a JSON object; this feature has ${describeValue(sent)}.`);
  const properties = isObject(sent) ? sent : {};

  const name = readText(own(properties, "name"), "name", reject, () =>
    reject("A feature needs a name: set properties.name to a text of 1 to 255 characters."),
  );
  const externalId = readText(own(properties, "external_id"), "external id", reject, () => null);
  const group = readText(own(properties, "group"), "group name", reject, () => null);
  const shape = readShape(own(feature, "geometry"), own(properties, "radius"), reject);

  const isComplete =
    name !== undefined && externalId !== undefined && group !== undefined && shape !== undefined;
  return isComplete && reasons.length === 0
    ? { _tag: "ParsedFeature", name, externalId, group, shape }
    : { _tag: "RejectedFeature", name: name ?? null, reasons };
};

const readShape = (geometry: unknown, radius: unknown, reject: Reject): Shape | undefined => {
  if (!isObject(geometry))
    return reject(`A feature needs a geometry, ${ALLOWED}; this one has ${describeValue(geometry)}.`);
  rejectOtherSystem(geometry, reject);
  const coordinates = own(geometry, "coordinates");
  const type = own(geometry, "type");
  if (coordinates === tooManyValues) {
    return reject(
      "The coordinates have more than 100,000 values, and a polygon at most 10,000 positions; simplify it.",
    );
  }
  switch (type) {
    case "Point":
      return readCircle(coordinates, radius, reject);
    case "Polygon":
      return polygonShape(coordinates, reject);
    case "MultiPolygon": {
      if (Array.isArray(coordinates) && coordinates.length === 1) return polygonShape(coordinates[0], reject);
      const count = Array.isArray(coordinates) ? `${coordinates.length} polygons` : "no coordinates";
      return reject(
        `A MultiPolygon is accepted if it has exactly one polygon; this one has ${count}. ` +
          "Send each polygon as a feature of its own.",
      );
    }
    default:
      return reject(
        `The geometry must be ${ALLOWED}; this feature has the geometry type ${describeValue(type)}.`,
      );
  }
};

/** Coordinates of another system are never read as degrees (contract G7). */
const rejectOtherSystem = (object: Readonly<Record<string, unknown>>, reject: Reject): void => {
  const problem = referenceSystemProblem(own(object, "crs"));
  if (problem !== null) reject(problem);
};

const ALLOWED = "a Point with a radius, or a Polygon";

const readCircle = (coordinates: unknown, radius: unknown, reject: Reject): Shape | undefined => {
  const centre = readPosition(coordinates, "The Point", reject);
  const radiusMeters = readRadius(radius, reject);
  if (centre === undefined || radiusMeters === undefined) return undefined;
  return { type: "circle", geometry: { type: "Point", coordinates: centre }, radiusMeters };
};

const polygonShape = (coordinates: unknown, reject: Reject): Shape | undefined => {
  const geometry = readPolygon(coordinates, reject);
  return geometry && { type: "polygon", geometry, radiusMeters: null };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A field of the object itself, never an inherited one. */
const own = (object: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;
