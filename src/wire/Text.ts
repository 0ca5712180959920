import { Schema, SchemaTransformation } from "effect";
import { codePoints } from "./CodePoints.ts";

/** A number with its noun, for sentences: "1 campaign", "2 campaigns", "10,000 locations". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/**
 * Why a text cannot be stored at all, or null: a NUL or half of a surrogate pair is no text (contract B5).
 */
export const unstorable = (text: string): string | null => {
  if (text.includes("\0")) return "The {field} may not contain the NUL character.";
  return text.isWellFormed() ? null : "The {field} contains half of a character (a lone surrogate).";
};

/** The items of a text in which commas separate them, without blank ones. */
export const commaList = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

interface TextOptions {
  /** The most code points after trimming. */
  readonly max: number;
  readonly description?: string;
  readonly example?: string;
  /** The limits as they are documented, where not `minLength` and `maxLength`. */
  readonly json?: object;
}

const lengthSentence = (max: number) =>
  `The {field} must have at most ${max.toLocaleString("en")} characters.`;

const raw = (options: TextOptions, min: 0 | 1) =>
  Schema.String.annotate({
    ...(options.description !== undefined && { description: options.description }),
    ...(options.example !== undefined && { examples: [options.example] }),
  }).check(
    Schema.makeFilter(
      (text: string) => {
        const reason = unstorable(text);
        if (reason !== null) return reason;
        const length = codePoints(text.trim());
        if (length < min) return "The {field} is required: it cannot be empty.";
        return length <= options.max ? true : lengthSentence(options.max);
      },
      { toJsonSchema: () => ({ ...(options.json ?? { minLength: min, maxLength: options.max }) }) },
    ),
  );

/** A required text: trimmed, 1 to `max` code points, storable. */
export const text = (options: TextOptions) =>
  raw(options, 1).pipe(Schema.decode(SchemaTransformation.trim()));

const emptyIsNone = SchemaTransformation.transform<string | null, string | null>({
  decode: (value) => {
    const trimmed = value?.trim() ?? "";
    return trimmed === "" ? null : trimmed;
  },
  encode: (value) => value,
});

/** A text or null: an empty or blank one is none. */
export const textOrNull = (options: TextOptions) =>
  Schema.NullOr(raw(options, 0)).pipe(Schema.decode(emptyIsNone));

/** An optional text: left out, null, empty or blank is none. */
export const optionalText = (options: TextOptions) => Schema.optionalKey(textOrNull(options));

/** A field that may be left out or null. */
export const optionalOrNull = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema));

/** A UUID in a body or response. Any letter case is accepted and decoded to lower case. */
export const Uuid = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, {
    message: "The {field} must be a UUID.",
    toJsonSchema: () => ({ format: "uuid" }),
  }),
).pipe(Schema.decode(SchemaTransformation.toLowerCase()));

/** A whole number between two bounds. */
export const whole = (options: {
  readonly min: number;
  readonly max: number;
  readonly description: string;
  readonly example: number;
}) => {
  const max = options.max.toLocaleString("en");
  const message = `The {field} must be a whole number between ${options.min} and ${max}.`;
  return Schema.Int.annotate({
    description: options.description,
    examples: [options.example],
    message,
  }).check(Schema.isBetween({ minimum: options.min, maximum: options.max }, { message }));
};

/** A whole number in a query: digits only, although JavaScript would parse more. */
export const wholeParameter = (options: Parameters<typeof whole>[0]) => {
  const number = whole(options);
  return Schema.String.check(
    Schema.isPattern(/^\d+$/, { message: String(number.ast.annotations?.["message"]) }),
  ).pipe(Schema.decodeTo(number, SchemaTransformation.transform({ decode: Number, encode: String })));
};

/** A boolean. */
export const flag = (description: string, example: boolean) =>
  Schema.Boolean.annotate({ description, examples: [example] });

/** An instant in responses: UTC, to the second (contract A3). */
export const Timestamp = Schema.String.annotate({
  description: "An instant in UTC, to the second.",
  examples: ["2026-11-21T09:30:00+00:00"],
  format: "date-time",
});
