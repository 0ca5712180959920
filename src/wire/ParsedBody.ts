import { Effect, Exit, Option, Schema } from "effect";
import type { HttpServerRequest } from "effect/http";
import type { HttpApiEndpoint } from "effect/http-api";
import { Unprocessable } from "./ApiError.ts";
import { explain, say } from "./Explain.ts";
import { Problems } from "./Problems.ts";
import { bodyRules, readObject } from "./RequestBody.ts";

/**
 * A body as it was sent: the fields that could be read, and the problems of those that could not. The rules of a
 * service are checked on what could be read, so that everything wrong with a request is said at once (contract B4).
 */
export class ParsedBody<A extends object> {
  readonly fields: Partial<A>;
  readonly problems: Problems;

  constructor(fields: Partial<A>, problems: Problems) {
    this.fields = fields;
    this.problems = problems;
  }

  /** A body that is known to be right: what callers inside the program and tests hand to a service. */
  static of<A extends object>(fields: A): ParsedBody<A> {
    return new ParsedBody(fields, new Problems());
  }

  /** The whole body, once every rule has had its say; else 422 `validation_failed` with all problems. */
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
          // Explanations name the part that tells one kind of object from another, where it is the wrong one.
          reportInput: true,
        }),
      ]),
    );
    decoders.set(schema, known);
  }
  return known;
};

/** Reads each field of an object by itself. Unknown fields are ignored; a null where none may be is a missing field. */
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
      problems.add(name, say("The {field} is required.", [name]));
      continue;
    }
    const error = Exit.findErrorOption(decoded);
    if (Option.isNone(error)) throw new Error(`Decoding ${name} failed without an issue`);
    problems.addAll(explain(error.value.issue).fields);
  }
  return new ParsedBody(fields as never, problems);
};

/** Reads a request's body against the endpoint's payload schema, within the endpoint's body rules. */
export const readParsedBody = Effect.fnUntraced(function* <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  input: {
    readonly request: HttpServerRequest.HttpServerRequest;
    readonly endpoint: HttpApiEndpoint.Constraint;
  },
) {
  const endpoint = input.endpoint as unknown as HttpApiEndpoint.Top;
  return parseFields(schema, yield* readObject(input.request, bodyRules(endpoint)));
});
