import { Context, Effect, Option } from "effect";
import { HttpServerRequest } from "effect/http";
import { HttpApiMiddleware } from "effect/http-api";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { fieldSentence } from "../wire/FieldSentence.ts";
import { schemaProblems } from "../wire/SchemaProblems.ts";
import { type Fields, givenOnce } from "../wire/Problems.ts";

/**
 * Annotation of endpoints (reports) whose bad parameters are `validation_failed`, not `invalid_parameter`.
 */
export const ParametersAreFields = Context.Reference<boolean>("waypost/http/ParametersAreFields", {
  defaultValue: () => false,
});

/** Middleware that responds to schema errors with the problems of the request. */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("waypost/http/SchemaErrors", {
  error: [NotFound, Unprocessable],
}) {}

/** Replaces the problems of a repeated parameter: its only problem is that it is repeated. */
const withRepetitions = Effect.fnUntraced(function* (fields: Fields) {
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

/** A response that its schema refuses is a defect, and so a 500. */
export const schemaErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(
  SchemaErrors,
  (error, { endpoint, group }) => {
    const fields = schemaProblems(error.cause.issue);
    switch (error.kind) {
      case "Params":
        return Effect.fail(NotFound.of("There is no such resource in this workspace and environment."));
      case "Query":
      case "Headers":
        return Effect.flatMap(withRepetitions(fields), (problems) =>
          Effect.fail(
            Context.get(Context.merge(group.annotations, endpoint.annotations), ParametersAreFields)
              ? Unprocessable.validation(problems)
              : Unprocessable.parameters(problems),
          ),
        );
      case "Payload":
        return Effect.fail(Unprocessable.validation(fields));
      default:
        return Effect.die(error);
    }
  },
);
