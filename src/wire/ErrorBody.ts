/** The shape that the bodies of all errors have. */
import { Schema } from "effect";
import type { Fields } from "./Problems.ts";

const Messages = Schema.Record(Schema.String, Schema.Array(Schema.String)).annotate({
  description: "Sentences by dotted field name: what is wrong, and what would be right.",
  examples: [{ name: ["The name is required."] }],
});

/** The fields of an error by its codes; the message is the example of the documentation. */
export const errorBody = <
  const Codes extends readonly [string, ...Array<string>],
  const More extends Schema.Struct.Fields = {},
>(
  codes: Codes,
  message: string,
  more: More = {} as More,
) => ({
  error: Schema.Struct({
    code: Schema.Literals(codes).annotate({
      description: "The kind of the error: branch on this, not on the message.",
      examples: [codes[0]],
    }),
    message: Schema.String.annotate({
      description: "A sentence for a person: the error, and what would be right.",
      examples: [message],
    }),
    ...more,
  }),
});

/**
 * The member of errors that name fields: `validation_failed`, `invalid_parameter`, `limit_exceeded` and
 * `experiment_running`.
 */
export const withFields = { fields: Schema.optionalKey(Messages) };

/** The HTTP status of an error, and its description in the API documentation. */
export const errorOptions = (status: number, description: string) => ({ httpApiStatus: status, description });

/** The message of an error that names fields: the first sentence, and how many more there are. */
export const summary = (fields: Fields): string => {
  const messages = Object.values(fields).flat();
  const first = messages[0] ?? "Some fields are not right.";
  return messages.length > 1 ? `${first} (and ${messages.length - 1} more: see fields)` : first;
};
