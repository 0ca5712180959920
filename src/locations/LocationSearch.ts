/** The filters of the list of locations (contract R1). */
import { Effect, Schema } from "effect";
import { Unprocessable } from "../wire/ApiError.ts";
import { exactParameter, exactText, searchParameter, searchPattern } from "../wire/SearchText.ts";
import { shownText } from "../wire/ShownFields.ts";
import { wholeParameter } from "../wire/Text.ts";

/** Which locations a list has; null selects all. */
export interface LocationSearch {
  /** In epoch milliseconds. */
  readonly updatedSince: number | null;
  readonly externalId: string | null;
  /** The exact name of a group that they are in. */
  readonly group: string | null;
  /** A pattern of `searchPattern` for the name. */
  readonly search: string | null;
  /** A position from which their edge is at most so many metres. */
  readonly near: { readonly latitude: number; readonly longitude: number; readonly meters: number } | null;
}

const degrees = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)`;
const positionPattern = new RegExp(String.raw`^\s*(${degrees})\s*,\s*(${degrees})\s*$`);

/**
 * Latitude and longitude of a text such as "52.37,4.89"; null for another text, or a position off the earth.
 */
const parsePosition = (text: string) => {
  const [, lat, lng] = positionPattern.exec(text) ?? [];
  if (lat === undefined || lng === undefined) return null;
  const [latitude, longitude] = [Number(lat), Number(lng)];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
};

/** The query parameters that select locations. */
export const locationSearchParameters = {
  external_id: exactParameter("Only the location with exactly this external id.", "store-42"),
  group: exactParameter("Only locations in the group with exactly this name.", "Amsterdam"),
  q: searchParameter("store"),
  near: Schema.optionalKey(
    shownText(
      "Only locations whose edge is at most `radius_meters` from this position: its latitude and " +
        "longitude in degrees. A location that contains the position is at 0 metres.",
      "52.3731,4.8936",
    ).check(
      Schema.makeFilter((text: string) => parsePosition(text) !== null, {
        message:
          "The {field} must be a latitude from -90 to 90 and a longitude from -180 to 180, as in " +
          "52.3731,4.8936.",
      }),
    ),
  ),
  radius_meters: Schema.optionalKey(
    wholeParameter({
      min: 1,
      max: 100_000,
      description: "The distance from `near`, in metres.",
      example: 500,
    }),
  ),
};

type SentSearch = {
  readonly [name in "external_id" | "group" | "q" | "near"]?: string;
} & { readonly radius_meters?: number; readonly updated_since?: number };

/**
 * Reads the filters. Fails with 422 `invalid_parameter` where one of `near` and `radius_meters` is missing.
 */
export const readLocationSearch = (sent: SentSearch): Effect.Effect<LocationSearch, Unprocessable> => {
  const position = sent.near === undefined ? null : parsePosition(sent.near);
  const meters = sent.radius_meters ?? null;
  if (position !== null && meters === null) {
    return Effect.fail(
      Unprocessable.parameters({
        radius_meters: ["The radius meters is required with near: a number from 1 to 100,000."],
      }),
    );
  }
  if (position === null && meters !== null) {
    return Effect.fail(
      Unprocessable.parameters({
        near: ["The near is required with radius_meters: a latitude and longitude."],
      }),
    );
  }
  return Effect.succeed({
    updatedSince: sent.updated_since ?? null,
    externalId: exactText(sent.external_id),
    group: exactText(sent.group),
    search: searchPattern(sent.q),
    near: position === null || meters === null ? null : { ...position, meters },
  });
};
