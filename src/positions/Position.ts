import { Result, Schema } from "effect";
import { describedInstant } from "../time/Instant.ts";
import { wholly } from "../wire/PartReader.ts";
import { timeProblem } from "../events/Transition.ts";

/** All checks have the same message, because 1e999 fails two of them. */
const degrees = (limit: number, description: string, example: number) => {
  const message = `The {field} must be a number of degrees from -${limit} to ${limit}.`;
  return Schema.Number.check(
    Schema.isFinite({ message }),
    Schema.isBetween({ minimum: -limit, maximum: limit }, { message }),
  ).annotate({ description, examples: [example] });
};

const accuracyMessage = "The {field} must be a number of metres, 0 or more.";

/** Latitude in degrees. */
export const Latitude = degrees(90, "Degrees north (WGS 84), from -90 to 90.", 52.3731);

/** Longitude in degrees. */
export const Longitude = degrees(180, "Degrees east (WGS 84), from -180 to 180.", 4.8936);

/** The position of a device at an instant. */
export const Position = Schema.Struct({
  latitude: Latitude,
  longitude: Longitude,
  accuracy_meters: Schema.optionalKey(
    Schema.NullOr(
      Schema.Number.check(
        Schema.isFinite({ message: accuracyMessage }),
        Schema.isGreaterThanOrEqualTo(0, { message: accuracyMessage }),
      ),
    ).annotate({
      description:
        "Radius of uncertainty in metres; 0 if left out. A device leaves a location when it is outside by " +
        "more than this, of which at most 100 m count. A position with over 200 m is accepted and " +
        "changes nothing.",
      examples: [12.5],
    }),
  ),
  recorded_at: describedInstant(
    "When it was measured, as an ISO 8601 date-time; at most 366 days ago and 5 minutes ahead.",
  ),
}).annotate({
  identifier: "Position",
  message: "Each position must be an object with a latitude, a longitude and a recorded_at.",
});
export type Position = typeof Position.Type;

/** The largest accuracy radius in metres of a position that is used (contract L9). */
const maxAccuracy = 200;

/** How many metres of the accuracy radius keep a device inside (contract L9). */
const maxLeeway = 100;

/** Whether a position is too imprecise: it is accepted and changes nothing (contract L9). */
export const isCoarse = ({ accuracy_meters }: Position): boolean => (accuracy_meters ?? 0) > maxAccuracy;

/** How many metres outside a device must be to have left (contract L9). */
export const leewayOf = ({ accuracy_meters }: Position): number => Math.min(accuracy_meters ?? 0, maxLeeway);

const read = wholly(Position);

/** Reads one position of a request: the position, or all its problems as sentences. */
export const parsePosition = (
  input: unknown,
  now: number,
): { readonly value: Position } | { readonly reasons: ReadonlyArray<string> } => {
  const position = read(input);
  if (Result.isFailure(position)) return { reasons: [...new Set(position.failure)] };
  const problem = timeProblem(position.success.recorded_at, now, "position");
  return problem === null ? { value: position.success } : { reasons: [problem] };
};
