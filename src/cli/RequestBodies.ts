import { Effect, type Schema } from "effect";
import { parseFields } from "../wire/ParsedBody.ts";
import { CommandRefused } from "./CommandRefused.ts";

/**
 * Reads flags as the body that they stand for, under the schema and with the sentences of the server itself, so that
 * everything wrong with them is told at once. What is undefined was not given.
 */
export const draft = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  flags: { readonly [name: string]: unknown },
): Effect.Effect<Schema.Struct<Fields>["Type"], CommandRefused> => {
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  return Effect.mapError(parseFields(schema, given).complete, ({ error }) =>
    CommandRefused.fields(error.fields ?? {}),
  );
};
