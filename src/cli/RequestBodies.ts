import { Effect, type Schema } from "effect";
import { parseFields } from "../wire/ParsedBody.ts";
import { CommandRefused } from "./CommandRefused.ts";

/**
 * Parses flags as the body of a request, under the server's schema and with the server's sentences, so that
 * all problems are reported at once. A flag that is undefined was not given.
 */
export const parseFlags = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  flags: { readonly [name: string]: unknown },
): Effect.Effect<Schema.Struct<Fields>["Type"], CommandRefused> => {
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  return Effect.mapError(parseFields(schema, given).complete, ({ error }) =>
    CommandRefused.fields(error.fields ?? {}),
  );
};
