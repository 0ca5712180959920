/** A location as it is drawn: the texts of the fields, and the feature that they make. */
import type { Point } from "../parts/map/Shapes.ts";

/** The fields. Numbers are texts, as they were typed. */
export interface DrawnLocation {
  readonly name: string;
  readonly shape: "circle" | "polygon";
  readonly latitude: string;
  readonly longitude: string;
  readonly radius: string;
  readonly coordinates: string;
  readonly group: string;
  readonly externalId: string;
}

/** An empty form. */
export const newDrawing: DrawnLocation = {
  name: "",
  shape: "circle",
  latitude: "",
  longitude: "",
  radius: "100",
  coordinates: "",
  group: "",
  externalId: "",
};

const decimal = /^[-+]?(?:\d+[.,]?\d*|[.,]\d+)$/;

/** The number of a text; a text that is none is sent as it is, and the server says what is wrong. */
export const numberOf = (text: string): number | string | null => {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return decimal.test(trimmed) ? Number(trimmed.replace(",", ".")) : trimmed;
};

/** The corners as lines of "latitude, longitude". */
export const formatRing = (ring: ReadonlyArray<Point>): string =>
  ring.map(([lng, lat]) => `${lat.toFixed(6)}, ${lng.toFixed(6)}`).join("\n");

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

interface PastedJson {
  readonly type?: unknown;
  readonly geometry?: unknown;
  readonly features?: ReadonlyArray<unknown>;
}

/** The geometry of pasted GeoJSON: a geometry, a feature, or a collection with one; or only coordinates. */
const geometryOf = (json: unknown): unknown => {
  if (Array.isArray(json)) {
    const first: unknown = json[0];
    const isRing = Array.isArray(first) && !Array.isArray(first[0]);
    return { type: "Polygon", coordinates: isRing ? [json] : json };
  }
  const { features, geometry, type } = (json ?? {}) as PastedJson;
  if (type === "Feature") return geometry;
  return type === "FeatureCollection" ? geometryOf(features?.[0]) : json;
};

/** A closed ring of lines with a latitude and a longitude. Values that are no numbers are kept. */
const ringOfLines = (text: string): ReadonlyArray<ReadonlyArray<unknown>> => {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const ring = lines.map((line) => {
    const [latitude = "", longitude = ""] = line.trim().split(/[\s,;]+/);
    return [numberOf(longitude), numberOf(latitude)];
  });
  const [first] = ring;
  const last = ring.at(-1);
  const isOpen = first !== undefined && (first[0] !== last?.[0] || first[1] !== last?.[1]);
  return isOpen ? [...ring, first] : ring;
};

const polygonOf = (text: string): unknown => {
  const json = parsed(text);
  return json === undefined || typeof json !== "object"
    ? { type: "Polygon", coordinates: text.trim() === "" ? [] : [ringOfLines(text)] }
    : geometryOf(json);
};

/** The feature of a drawing. */
export const drawnFeature = (drawing: DrawnLocation): object => {
  const { coordinates, externalId, group, latitude, longitude, name, radius, shape } = drawing;
  const circle = { type: "Point", coordinates: [numberOf(longitude), numberOf(latitude)] };
  const isCircle = shape === "circle";
  return {
    type: "Feature",
    geometry: isCircle ? circle : polygonOf(coordinates),
    properties: {
      name: name.trim() || null,
      ...(isCircle ? { radius: numberOf(radius) } : {}),
      group: group.trim() || null,
      external_id: externalId.trim() || null,
    },
  };
};

/** The exterior ring of the coordinates, for the map; null if it cannot be drawn. */
export const readRing = (text: string): ReadonlyArray<Point> | null => {
  const polygon = polygonOf(text) as { readonly coordinates?: unknown } | null;
  let ring: unknown = polygon?.coordinates;
  while (Array.isArray(ring) && Array.isArray(ring[0]) && Array.isArray(ring[0][0])) ring = ring[0];
  const isPoint = (each: unknown): boolean =>
    Array.isArray(each) &&
    typeof each[0] === "number" &&
    typeof each[1] === "number" &&
    Math.abs(each[0]) <= 180 &&
    Math.abs(each[1]) <= 90;
  return Array.isArray(ring) && ring.length >= 4 && ring.every(isPoint) ? (ring as Array<Point>) : null;
};

/** The field that a reason of the import is about. An import names features, not fields. */
export const fieldOf = (reason: string, { shape }: DrawnLocation): string => {
  if (/\bgroup name\b/.test(reason)) return "group";
  if (/\bexternal id\b/.test(reason)) return "external_id";
  if (/\bname\b/.test(reason)) return "name";
  if (shape === "polygon") return "coordinates";
  if (/\bradius\b/.test(reason)) return "radius";
  return /\blongitude\b/.test(reason) && !/\blatitude\b/.test(reason) ? "longitude" : "latitude";
};
