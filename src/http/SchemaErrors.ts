import { Context, Effect } from "effect";
import { HttpApiMiddleware } from "effect/http-api";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { explain } from "../wire/Explain.ts";

/** Annotation of endpoints whose bad parameters are `validation_failed` instead of `invalid_parameter` (the reports). */
export const ParametersAreFields = Context.Reference<boolean>("waypost/http/ParametersAreFields", {
  defaultValue: () => false,
});

/** Says what a schema found wrong with a request, in our words and shape. */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("waypost/http/SchemaErrors", {
  error: [NotFound, Unprocessable],
}) {}

/** What our own schemas refuse of our own answers is our fault: a defect, and so a 500. */
export const schemaErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(
  SchemaErrors,
  (error, { endpoint, group }) => {
    const fields = explain(error.cause.issue).fields;
    switch (error.kind) {
      case "Params":
        return Effect.fail(NotFound.of("There is no such resource in this workspace and environment."));
      case "Query":
      case "Headers":
        return Effect.fail(
          Context.get(Context.merge(group.annotations, endpoint.annotations), ParametersAreFields)
            ? Unprocessable.validation(fields)
            : Unprocessable.parameters(fields),
        );
      case "Payload":
        return Effect.fail(Unprocessable.validation(fields));
      default:
        return Effect.die(error);
    }
  },
);
