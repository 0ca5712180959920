import { Schema } from "effect";
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { SchemaErrors } from "../http/SchemaErrors.ts";
import { bodyErrors, Forbidden, TooManyRequests, Unauthorized } from "../wire/ApiError.ts";
import { Data } from "../wire/Envelope.ts";
import { parseOptions } from "../wire/ParseOptions.ts";
import { ConsoleSession, SignIn } from "./ConsoleSession.ts";

const refusals = [Unauthorized, Forbidden, TooManyRequests] as const;

/** The endpoints of the browser's session: sign in, show and sign out. */
class SessionApi extends HttpApiGroup.make("session").add(
  HttpApiEndpoint.post("open", "/session", {
    payload: SignIn,
    success: Data(ConsoleSession).pipe(HttpApiSchema.status(201)),
    error: [...refusals, ...bodyErrors],
  }).annotate(OpenApi.Summary, "Sign in"),

  HttpApiEndpoint.get("show", "/session", {
    success: Data(Schema.NullOr(ConsoleSession)),
    error: refusals,
  }).annotate(OpenApi.Summary, "Show who is signed in; null for nobody"),

  HttpApiEndpoint.delete("end", "/session", {
    success: Data(Schema.Struct({ signed_out: Schema.Literal(true) })),
    error: refusals,
  }).annotate(OpenApi.Summary, "Sign out"),
) {}

/** The console's own endpoints. Everything else it does, it does through the published interfaces. */
export class ConsoleApi extends HttpApi.make("console")
  .add(SessionApi)
  .middleware(SchemaErrors)
  .prefix("/console")
  .annotateMerge(parseOptions) {}
