import { Effect, Exit, Option, Schema } from "effect";
import { Unprocessable } from "./ApiError.ts";
import { fieldSentence, schemaProblems } from "./SchemaProblems.ts";
import { Problems } from "./Problems.ts";
import { readJson, readOptionalJson, type RequestInput } from "./RequestBody.ts";

/**
 * A parsed request body: the fields that could be parsed, and the problems of the others. Services check
 * their rules on the parsed fields and add to the problems, so that a client gets all problems together
 * (contract B4).
 */
export class ParsedBody<A extends object> {
  readonly fields: Partial<A>;
  readonly problems: Problems;

  constructor(fields: Partial<A>, problems: Problems) {
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
      ? Effect.succeed(this.fields as A)
      : Effect.fail(Unprocessable.validation(this.problems.fields));
  }
}

type Decoders = ReadonlyMap<string, (input: unknown) => Exit.Exit<object, Schema.SchemaError>>;

const decoders = new WeakMap<Schema.Struct<Schema.Struct.Fields>, Decoders>();

const decodersOf = (schema: Schema.Struct<Schema.Struct.Fields>): Decoders => {
  let known = decoders.get(schema);
  if (known === undefined) {
    known = new Map(
      Object.entries(schema.fields).map(([name, field]) => [
        name,
        Schema.decodeUnknownExit(Schema.Struct({ [name]: field }) as unknown as Schema.Decoder<object>, {
          errors: "all",
          // The problems of a union name the field that distinguishes its members.
          reportInput: true,
        }),
      ]),
    );
    decoders.set(schema, known);
  }
  return known;
};

/**
 * Parses each field of an object by itself. Unknown fields are ignored; a null that is not allowed is a
 * missing field.
 */
export const parseFields = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  input: { readonly [key: string]: unknown },
): ParsedBody<Schema.Struct<Fields>["Type"] & object> => {
  const problems = new Problems();
  const fields: { [key: string]: unknown } = {};
  for (const [name, decode] of decodersOf(schema)) {
    const sent = Object.hasOwn(input, name);
    const decoded = decode(sent ? { [name]: input[name] } : {});
    if (Exit.isSuccess(decoded)) {
      Object.assign(fields, decoded.value);
      continue;
    }
    if (sent && input[name] === null) {
      problems.add(name, fieldSentence("The {field} is required.", [name]));
      continue;
    }
    const error = Exit.findErrorOption(decoded);
    if (Option.isNone(error)) throw new Error(`Decoding ${name} failed without an issue`);
    problems.addAll(schemaProblems(error.value.issue).fields);
  }
  return new ParsedBody(fields as never, problems);
};

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
