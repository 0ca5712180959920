/** A location as it is drawn: the texts of the fields, and the feature that they make. */
import { jsonOr } from "../data/Json.ts";
import { type Point, readPosition, type Shape } from "../parts/map/Shapes.ts";

/** The fields of a shape. Numbers are texts, as they were typed. */
export interface DrawnShape {
  readonly shape: "circle" | "polygon";
  readonly latitude: string;
  readonly longitude: string;
  readonly radius: string;
  readonly coordinates: string;
}

/** The fields of a new location. */
export interface DrawnLocation extends DrawnShape {
  readonly name: string;
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
const numberOf = (text: string): number | string | null => {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return decimal.test(trimmed) ? Number(trimmed.replace(",", ".")) : trimmed;
};

/** The fields of a shape. A polygon with holes is GeoJSON; another one lines of "latitude, longitude". */
export const fieldsOfShape = ({ geometry, radius_meters: radius }: Shape): DrawnShape => {
  const none = { latitude: "", longitude: "", radius: "", coordinates: "" };
  if (geometry.type === "Point") {
    const [lng, lat] = geometry.coordinates;
    const position = { latitude: lat.toFixed(6), longitude: lng.toFixed(6) };
    return { ...none, ...position, shape: "circle", radius: String(radius ?? "") };
  }
  const [ring = [], ...holes] = geometry.coordinates;
  const lines = ring.map(([lng, lat]) => `${lat.toFixed(6)}, ${lng.toFixed(6)}`).join("\n");
  return { ...none, shape: "polygon", coordinates: holes.length === 0 ? lines : JSON.stringify(geometry) };
};

/** The changes by a new text of the latitude: a position that is pasted fills both fields. */
export const positionFields = (text: string, before: string): Partial<DrawnShape> => {
  // A position that is typed letter by letter is one all the way to its last digit.
  const [lng, lat] = (text.length - before.length > 1 ? readPosition(text) : undefined) ?? [];
  return lng === undefined || lat === undefined
    ? { latitude: text }
    : { latitude: String(lat), longitude: String(lng) };
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
  const ring = lines.map((line): ReadonlyArray<unknown> => {
    const [latitude = "", longitude = ""] = line.trim().split(/[\s,;]+/);
    return readPosition(line) ?? [numberOf(longitude), numberOf(latitude)];
  });
  const [first] = ring;
  const last = ring.at(-1);
  const isOpen = first !== undefined && (first[0] !== last?.[0] || first[1] !== last?.[1]);
  return isOpen ? [...ring, first] : ring;
};

const polygonOf = (text: string): unknown => {
  const json = jsonOr(text);
  return typeof json !== "object"
    ? { type: "Polygon", coordinates: text.trim() === "" ? [] : [ringOfLines(text)] }
    : geometryOf(json);
};

/** The geometry of the fields, and the radius of a circle, as the API takes them. */
export const drawnGeometry = ({ coordinates, latitude, longitude, radius, shape }: DrawnShape) =>
  shape === "circle"
    ? {
        geometry: {
          type: "Point",
          coordinates: readPosition(latitude) ?? [numberOf(longitude), numberOf(latitude)],
        },
        radius: numberOf(radius),
      }
    : { geometry: polygonOf(coordinates) };

/** The feature of a drawing. */
export const drawnFeature = (drawing: DrawnLocation): object => {
  const { externalId, group, name } = drawing;
  const { geometry, radius } = drawnGeometry(drawing);
  return {
    type: "Feature",
    geometry,
    properties: {
      name: name.trim() || null,
      ...(radius === undefined ? {} : { radius }),
      group: group.trim() || null,
      external_id: externalId.trim() || null,
    },
  };
};

const isPoint = (each: unknown): each is Point =>
  Array.isArray(each) &&
  typeof each[0] === "number" &&
  typeof each[1] === "number" &&
  Math.abs(each[0]) <= 180 &&
  Math.abs(each[1]) <= 90;

const isRing = (ring: unknown): ring is ReadonlyArray<Point> =>
  Array.isArray(ring) && ring.length >= 4 && ring.every(isPoint);

/** The shape of the fields, for the map; undefined if it cannot be drawn. */
export const drawnShape = (drawing: DrawnShape): Shape | undefined => {
  const { geometry, radius } = drawnGeometry(drawing);
  const { coordinates } = (geometry ?? {}) as { readonly coordinates?: unknown };
  if (drawing.shape === "circle")
    return isPoint(coordinates) && typeof radius === "number"
      ? { geometry: { type: "Point", coordinates }, radius_meters: radius }
      : undefined;
  const list = Array.isArray(coordinates) ? (coordinates as ReadonlyArray<unknown>) : [];
  // A MultiPolygon may have one polygon.
  const [first] = list as ReadonlyArray<ReadonlyArray<unknown> | undefined>;
  const rings = Array.isArray(first) && isRing(first[0]) ? (first as ReadonlyArray<unknown>) : list;
  return rings.length > 0 && rings.every(isRing)
    ? { geometry: { type: "Polygon", coordinates: rings }, radius_meters: null }
    : undefined;
};

/** The field that a reason is about. An import names features, and a change the whole geometry. */
export const fieldOf = (reason: string, { shape }: DrawnShape): string => {
  if (/\bgroup name\b/.test(reason)) return "group";
  if (/\bexternal id\b/.test(reason)) return "external_id";
  if (/\bname\b/.test(reason)) return "name";
  if (shape === "polygon") return "coordinates";
  if (/\bradius\b/.test(reason)) return "radius";
  return /\blongitude\b/.test(reason) && !/\blatitude\b/.test(reason) ? "longitude" : "latitude";
};
