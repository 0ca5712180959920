/** Fields of responses, with the description and the example that the documentation shows. */
import { Schema } from "effect";
import { isUuid } from "./Ids.ts";
import { Timestamp } from "./Text.ts";

/** The id of a resource. */
export const shownId = (description: string, example: string) =>
  Schema.String.annotate({ description, format: "uuid", examples: [example] });

/** The id in a query parameter. */
export const idFilter = (description: string, example: string) =>
  Schema.optionalKey(
    shownId(description, example).check(
      Schema.makeFilter(isUuid, { message: "The {field} must be a UUID." }),
    ),
  );

/** The id of a resource, or null. */
export const nullableId = (description: string, example: string) =>
  Schema.NullOr(shownId(description, example)).annotate({ description, examples: [example] });

/** A text. */
export const shownText = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] });

/** A text or null. */
export const nullableText = (description: string, example: string) =>
  Schema.NullOr(Schema.String).annotate({ description, examples: [example] });

/** A whole number. */
export const shownInteger = (description: string, example: number) =>
  Schema.Int.annotate({ description, examples: [example] });

/** A whole number or null. */
export const nullableInteger = (description: string, example: number) =>
  Schema.NullOr(Schema.Int).annotate({ description, examples: [example] });

/** An instant. */
export const shownInstant = (description: string, example?: string) =>
  Timestamp.annotate({ description, ...(example !== undefined && { examples: [example] }) });

/** An instant or null. */
export const nullableInstant = (description: string, example: string) =>
  Schema.NullOr(Timestamp).annotate({ description, examples: [example] });
