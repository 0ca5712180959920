import { Clock, Effect, Schema } from "effect";
import { readFile } from "node:fs/promises";
import { dateAt } from "../time/LocalTime.ts";
import { TimeZoneName, utcZone } from "../time/TimeZone.ts";
import { parseFields } from "../wire/ParsedBody.ts";
import { CommandRefused, refused } from "./CommandRefused.ts";

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

/** The text of a file that a flag names. */
export const readText = (path: string): Effect.Effect<string, CommandRefused> =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: () => refused(`The file ${path} cannot be read.`),
  });

/** Parses JSON that a flag gives. `sentence` says what it must be. */
export const parseJson = (text: string, sentence: string): Effect.Effect<unknown, CommandRefused> =>
  Effect.try({ try: (): unknown => JSON.parse(text), catch: () => refused(sentence) });

/** As `parseJson`; null for a flag that was left out. */
export const optionalJson = (text: string | undefined, sentence: string) =>
  text === undefined ? Effect.succeed(null) : parseJson(text, sentence);

/** Today in a time zone; in UTC if the name is none, which the server refuses. */
export const todayIn = (zone: string) =>
  Effect.map(Clock.currentTimeMillis, (now) => dateAt(Schema.is(TimeZoneName)(zone) ? zone : utcZone, now));
