import { readPosition } from "./geometry/Coordinates.ts";
import type { Shape } from "./Location.ts";
import { readRadius, readText } from "./FeatureProperties.ts";
import { readPolygon } from "./geometry/PolygonRings.ts";
import { describe, type Refuse } from "./geometry/GeometryProblem.ts";

/** What an imported feature says: a location to create or to update. */
export interface ParsedFeature {
  readonly _tag: "ParsedFeature";
  readonly name: string;
  readonly externalId: string | null;
  readonly group: string | null;
  readonly shape: Shape;
}

/** A feature that makes no location: its name if that can be read, and all that is wrong, each as a sentence. */
export interface Refused {
  readonly _tag: "Refused";
  readonly name: string | null;
  readonly reasons: readonly [string, ...ReadonlyArray<string>];
}

/**
 * Reads one feature of an import (contract G2, G3): takes any JSON value, however hostile, never throws, and tells everything
 * that is wrong with it.
 */
export const readFeature = (feature: unknown): ParsedFeature | Refused => {
  const reasons: Array<string> = [];
  const refuse: Refuse = (reason) => void reasons.push(reason);
  if (!isObject(feature)) {
    refuse(`A feature must be a JSON object with the type "Feature"; this one is ${describe(feature)}.`);
    return refused(null, reasons);
  }
  const type = own(feature, "type");
  if (type !== "Feature") refuse(`A feature must have the type "Feature"; this one has ${describe(type)}.`);
  const sent = own(feature, "properties") ?? {};
  if (!isObject(sent)) refuse(`The properties must be a JSON object; this feature has ${describe(sent)}.`);
  const properties = isObject(sent) ? sent : {};

  const name = readText(own(properties, "name"), "name", refuse, () =>
    refuse("A feature needs a name: set properties.name to a text of 1 to 255 characters."),
  );
  const externalId = readText(own(properties, "external_id"), "external id", refuse, () => null);
  const group = readText(own(properties, "group"), "group name", refuse, () => null);
  const area = readArea(own(feature, "geometry"), own(properties, "radius"), refuse);

  const isPlace = name !== undefined && externalId !== undefined && group !== undefined && area !== undefined;
  return isPlace && reasons.length === 0
    ? { _tag: "ParsedFeature", name, externalId, group, ...area }
    : refused(name ?? null, reasons);
};

type Area = Pick<ParsedFeature, "shape">;

const readArea = (geometry: unknown, radius: unknown, refuse: Refuse): Area | undefined => {
  if (!isObject(geometry)) {
    refuse(`A feature needs a geometry, ${TAKEN}; this one has ${describe(geometry)}.`);
    return undefined;
  }
  const coordinates = own(geometry, "coordinates");
  const type = own(geometry, "type");
  switch (type) {
    case "Point":
      return readCircle(coordinates, radius, refuse);
    case "Polygon":
      return readPolygonArea(coordinates, refuse);
    case "MultiPolygon": {
      if (Array.isArray(coordinates) && coordinates.length === 1)
        return readPolygonArea(coordinates[0], refuse);
      const count = Array.isArray(coordinates) ? `${coordinates.length} polygons` : "no coordinates";
      refuse(
        `A MultiPolygon is taken if it has exactly one polygon; this one has ${count}. ` +
          "Send each polygon as a feature of its own.",
      );
      return undefined;
    }
    default:
      refuse(`The geometry must be ${TAKEN}; this feature has the geometry type ${describe(type)}.`);
      return undefined;
  }
};

const TAKEN = "a Point with a radius, or a Polygon";

const readCircle = (coordinates: unknown, radius: unknown, refuse: Refuse): Area | undefined => {
  const centre = readPosition(coordinates, "The Point", refuse);
  const radiusMeters = readRadius(radius, refuse);
  if (centre === undefined || radiusMeters === undefined) return undefined;
  const geometry = { type: "Point", coordinates: centre } as const;
  return { shape: { type: "circle", geometry, radiusMeters } };
};

const readPolygonArea = (coordinates: unknown, refuse: Refuse): Area | undefined => {
  const geometry = readPolygon(coordinates, refuse);
  if (geometry === undefined) return undefined;
  return { shape: { type: "polygon", geometry, radiusMeters: null } };
};

const refused = (name: string | null, reasons: ReadonlyArray<string>): Refused => {
  const [first = "This feature cannot be read.", ...others] = reasons;
  return { _tag: "Refused", name, reasons: [first, ...others] };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A field that was sent: never one that every object inherits. */
const own = (object: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;
