/** The parameter `format` of reports and lists that are also CSV files (contract M5). */
import { Effect } from "effect";
import { HttpServerRequest } from "effect/http";
import { Unprocessable } from "../../wire/ApiError.ts";
import { isJson, type Json } from "../../wire/OpenApiDescriptions.ts";
import { givenOnce } from "../../wire/Problems.ts";
import { fieldSentence } from "../../wire/FieldSentence.ts";

const formats = ["json", "csv"];
const pageParameters = ["cursor", "limit"];

/**
 * Whether a request asks for CSV. Fails with 422 `invalid_parameter` for another format, and for a page of a
 * file: a file has all rows.
 */
export const wantsCsv: Effect.Effect<boolean, Unprocessable, HttpServerRequest.HttpServerRequest> =
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
    const sent = new URLSearchParams(url.split("?").slice(1).join("?"));
    const [format = "json", ...more] = sent.getAll("format");
    if (more.length > 0) {
      return Effect.fail(Unprocessable.parameters({ format: [fieldSentence(givenOnce, ["format"])] }));
    }
    if (!formats.includes(format)) {
      return Effect.fail(Unprocessable.parameters({ format: ["The format must be json or csv."] }));
    }
    const paging = format === "csv" ? pageParameters.filter((name) => sent.has(name)) : [];
    if (paging.length === 0) return Effect.succeed(format === "csv");
    return Effect.fail(
      Unprocessable.parameters(
        Object.fromEntries(paging.map((name) => [name, [`A CSV file has all rows: leave the ${name} out.`]])),
      ),
    );
  });

const formatParameter: Json = {
  name: "format",
  in: "query",
  required: false,
  schema: {
    type: "string",
    enum: formats,
    default: "json",
    description: "`csv` gives all rows as a file with a header row; paging parameters are then refused.",
    examples: ["csv"],
  },
};

const csvContent: Json = {
  schema: {
    type: "string",
    description: "CSV by RFC 4180 in UTF-8: a header row with the names of the fields, then a row each.",
    examples: ["id,name\r\n01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60,Autumn sale\r\n"],
  },
};

/** Shows that an operation also gives CSV. For `OpenApi.Transform`. */
export const alsoAsCsv = (op: Json): Json => {
  const responses = isJson(op["responses"]) ? op["responses"] : {};
  const ok = isJson(responses["200"]) ? responses["200"] : {};
  const content = isJson(ok["content"]) ? ok["content"] : {};
  const parameters = Array.isArray(op["parameters"]) ? (op["parameters"] as ReadonlyArray<unknown>) : [];
  return {
    ...op,
    parameters: [...parameters, formatParameter],
    responses: { ...responses, "200": { ...ok, content: { ...content, "text/csv": csvContent } } },
  };
};
