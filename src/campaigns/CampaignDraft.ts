import { Effect, Schema, SchemaTransformation } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { HttpApiEndpoint } from "effect/http-api";
import { WallTime } from "../time/LocalTime.ts";
import { TimeZoneName } from "../time/TimeZone.ts";
import { bodyRules, readObject } from "../wire/RequestBody.ts";
import { say } from "../wire/Explain.ts";
import { type ParsedBody, parseFields } from "../wire/ParsedBody.ts";
import { text, whole } from "../wire/Text.ts";
import { CampaignType, CapPeriod, SegmentMatch } from "./Campaign.ts";

/** Most entries of each list of a campaign, as sent (contract E5). */
const mostEntries = 1000;
const tooMany = "The {field} can have at most 1,000 entries.";

// Whether an entry is an id, and of something there is, is a rule of the service: so every bad entry is named at once.
const Id = Schema.String.annotate({ format: "uuid" }).pipe(
  Schema.decode(
    SchemaTransformation.transform({ decode: (id: string) => id.trim().toLowerCase(), encode: (id) => id }),
  ),
);
const Name = Schema.String.pipe(Schema.decode(SchemaTransformation.trim()));

const wallTime = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] }).pipe(Schema.decodeTo(WallTime));

const list = <S extends Schema.Codec<string, string>>(entry: S, description: string, example: string) =>
  Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(entry)
        .annotate({ description, examples: [[example]] })
        .check(Schema.isMaxLength(mostEntries, { message: tooMany })),
    ),
  );

const lists = {
  location_ids: list(
    Id,
    "Locations that a geo campaign targets; it needs at least one location or group.",
    "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01",
  ),
  location_group_ids: list(
    Id,
    "Location groups that a geo campaign targets.",
    "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e02",
  ),
  location_group_names: list(
    Name,
    "Exact names of location groups; they are added to `location_group_ids`.",
    "Flagship stores",
  ),
  segmentation_ids: list(
    Id,
    "Segments that a push campaign targets; left out or empty means everyone.",
    "01980a6c-2b11-7e0a-8c55-6d2f9b1a4e03",
  ),
};

/** Body of a new campaign, and of an update, which resubmits all of it: optional fields left out are cleared. */
export const CampaignDraft = Schema.Struct({
  name: text({
    max: 255,
    description: "Name of the campaign, unique among the campaigns of its environment.",
    example: "Opening week",
  }),
  type: CampaignType,
  timezone: TimeZoneName,
  starts_at: wallTime(
    "When the campaign starts, in its time zone: YYYY-MM-DD (00:00 that day) or YYYY-MM-DD HH:MM. Not before today.",
    "2026-12-01 09:00",
  ),
  ends_at: Schema.optionalKey(
    Schema.NullOr(
      wallTime(
        "When a geo campaign ends, in its time zone: YYYY-MM-DD (the end of that day) or YYYY-MM-DD HH:MM. " +
          "Left out: never. Ignored for a push campaign, which runs for the day of its start.",
        "2026-12-08",
      ),
    ),
  ),
  frequency_cap_count: Schema.optionalKey(
    Schema.NullOr(
      whole({
        min: 1,
        max: 1000,
        description:
          "Most deliveries to the same device in the period; together with the period or not at all.",
        example: 3,
      }),
    ),
  ),
  frequency_cap_period: Schema.optionalKey(Schema.NullOr(CapPeriod)),
  segment_match: Schema.optionalKey(Schema.NullOr(SegmentMatch)),
  ...lists,
}).annotate({ identifier: "CampaignDraft" });
export type CampaignDraft = typeof CampaignDraft.Type;

/** Reads the fields of a draft from a JSON object. */
const parseCampaignBody = (body: { readonly [field: string]: unknown }): ParsedBody<CampaignDraft> => {
  const read: { [field: string]: unknown } = { ...body };
  // Whatever a push campaign says of its end is ignored (write rule 4), also what is no date.
  if (read["type"] === "push") delete read["ends_at"];
  // A list that is too long is not looked into: each of a million bad entries would get its own sentence.
  const long = Object.keys(lists).filter((field) => {
    const value = read[field];
    return Array.isArray(value) && value.length > mostEntries;
  });
  for (const field of long) delete read[field];
  // What is no text names nothing, as an empty one: so it hides nothing that is wrong with the other entries.
  for (const field of Object.keys(lists)) {
    const value = read[field];
    if (Array.isArray(value)) read[field] = value.map((entry) => (typeof entry === "string" ? entry : ""));
  }
  const parsed = parseFields(CampaignDraft, read);
  for (const field of long) parsed.problems.add(field, say(tooMany, [field]));
  return parsed;
};

/** Reads a request's body as a draft, within the endpoint's body rules. */
export const readCampaign = (input: {
  readonly request: HttpServerRequest.HttpServerRequest;
  readonly endpoint: HttpApiEndpoint.Constraint;
}) =>
  Effect.map(
    readObject(input.request, bodyRules(input.endpoint as unknown as HttpApiEndpoint.Top)),
    parseCampaignBody,
  );
