import { Context, Effect, Option } from "effect";
import { HttpServerRequest } from "effect/http";
import { HttpApiMiddleware } from "effect/http-api";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { fieldSentence, schemaProblems } from "../wire/SchemaProblems.ts";
import { type Fields, givenOnce } from "../wire/Problems.ts";

/** Annotation of endpoints whose bad parameters are `validation_failed` instead of `invalid_parameter` (the reports). */
export const ParametersAreFields = Context.Reference<boolean>("waypost/http/ParametersAreFields", {
  defaultValue: () => false,
});

/** Says what a schema found wrong with a request, in our words and shape. */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("waypost/http/SchemaErrors", {
  error: [NotFound, Unprocessable],
}) {}

/** A parameter that is given twice is none of what it may be: what is wrong with it is that it is given twice. */
const onceEach = Effect.fnUntraced(function* (fields: Fields) {
  const sent = Option.getOrElse(
    yield* Effect.serviceOption(HttpServerRequest.ParsedSearchParams),
    (): { readonly [name: string]: unknown } => ({}),
  );
  return Object.fromEntries(
    Object.entries(fields).map(([name, messages]) => [
      name,
      Array.isArray(sent[name]) ? [fieldSentence(givenOnce, [name])] : messages,
    ]),
  );
});

/** What our own schemas refuse of our own answers is our fault: a defect, and so a 500. */
export const schemaErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(
  SchemaErrors,
  (error, { endpoint, group }) => {
    const fields = schemaProblems(error.cause.issue).fields;
    switch (error.kind) {
      case "Params":
        return Effect.fail(NotFound.of("There is no such resource in this workspace and environment."));
      case "Query":
      case "Headers":
        return Effect.flatMap(onceEach(fields), (told) =>
          Effect.fail(
            Context.get(Context.merge(group.annotations, endpoint.annotations), ParametersAreFields)
              ? Unprocessable.validation(told)
              : Unprocessable.parameters(told),
          ),
        );
      case "Payload":
        return Effect.fail(Unprocessable.validation(fields));
      default:
        return Effect.die(error);
    }
  },
);
