import { Effect, type Schema } from "effect";
import { Unprocessable } from "./ApiError.ts";
import { readFields } from "./PartReader.ts";
import { Problems } from "./Problems.ts";
import { readJson, readOptionalJson, type RequestInput } from "./RequestBody.ts";

/**
 * A parsed request body: the parts that could be parsed, and the problems of the others. Services check their
 * rules on the parsed parts and add to the problems, so that a client gets all problems together
 * (contract B4).
 */
export class ParsedBody<A extends object, Parts extends object = Partial<A>> {
  readonly fields: Parts;
  readonly problems: Problems;

  constructor(fields: Parts, problems: Problems) {
    this.fields = fields;
    this.problems = problems;
  }

  /** A valid body, for callers inside the program and for tests. */
  static of<A extends object>(fields: A): ParsedBody<A> {
    return new ParsedBody(fields, new Problems());
  }

  /** The whole body once all rules are checked. @throws 422 `validation_failed` with all problems */
  get complete(): Effect.Effect<A, Unprocessable> {
    return this.problems.isEmpty
      ? Effect.succeed(this.fields as unknown as A)
      : Effect.fail(Unprocessable.validation(this.problems.fields));
  }
}

/**
 * Parses the fields of an object, each part of them by itself. Unknown fields are ignored; a null that is not
 * allowed is a missing field.
 */
export const parseFields = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  input: { readonly [key: string]: unknown },
  problems = new Problems(),
): ParsedBody<Schema.Struct<Fields>["Type"] & object> =>
  new ParsedBody(readFields(schema.ast, input, problems) as never, problems);

/** Reads a request's body within the endpoint's body rules and parses it by a schema. */
export const readParsedBody = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  input: RequestInput,
) => Effect.map(readJson(input), (body) => parseFields(schema, body));

/** As `readParsedBody`, for an optional body: a request without one has no fields. */
export const readOptionalBody = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  input: RequestInput,
) => Effect.map(readOptionalJson(input), (body) => parseFields(schema, body));
