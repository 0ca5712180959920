import { Context, Effect, Layer } from "effect";
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http";
import { HttpApiMiddleware } from "effect/http-api";
import { createHash } from "node:crypto";
import { PreconditionFailed } from "../wire/ApiError.ts";
import { namesTag } from "./EntityTag.ts";

/** The `If-Match` header of the current change; null without one. */
const ExpectedVersion = Context.Reference<string | null>("waypost/http/ExpectedVersion", {
  defaultValue: () => null,
});

/** Middleware of changes of one resource: with `If-Match` they apply to that version only (contract S3). */
export class IfMatch extends HttpApiMiddleware.Service<IfMatch>()("waypost/http/IfMatch", {
  error: [PreconditionFailed],
}) {}

/** Reads the header of a change. */
export const ifMatchLayer = Layer.succeed(IfMatch, (httpEffect) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    Effect.provideService(httpEffect, ExpectedVersion, headers["if-match"] ?? null),
  ),
);

/** Whether the current change depends on a version. */
export const expectsVersion = Effect.map(ExpectedVersion, (expected) => expected !== null);

/** The version of a resource as an ETag, from every field that a change can change. */
export const versionTag = (fields: object): string =>
  `"${createHash("sha256").update(JSON.stringify(fields)).digest("base64url")}"`;

/**
 * Fails if the current change expects another version than `tag`; `noun` names the resource. The resource
 * must be locked. @throws 412
 */
export const checkVersion = (noun: string, tag: () => string): Effect.Effect<void, PreconditionFailed> =>
  Effect.flatMap(ExpectedVersion, (expected) =>
    expected === null || namesTag(expected, tag())
      ? Effect.void
      : Effect.fail(PreconditionFailed.version(noun)),
  );

/** Adds the `ETag` header to the response of the current request. */
export const showVersion = (tag: string) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "etag", tag)),
  );
