import { Context } from "effect";
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api";
import {
  Forbidden,
  InternalError,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
} from "../wire/ApiError.ts";
import type { Ability } from "./Ability.ts";
import type { Caller } from "./Caller.ts";

/** Annotation of a platform endpoint: the ability that it needs. `GET /me` has none. */
export class Needs extends Context.Service<Needs, Ability>()("waypost/access/Needs") {}

/**
 * Annotation of a platform endpoint that works in Production before the full API is enabled (contract B1).
 */
export const WorksAlways = Context.Reference<boolean>("waypost/access/WorksAlways", {
  defaultValue: () => false,
});

/** Annotation of a platform endpoint that has a body and changes nothing, such as a count (contract S4). */
export const ChangesNothing = Context.Reference<boolean>("waypost/access/ChangesNothing", {
  defaultValue: () => false,
});

/**
 * Middleware of every platform endpoint. `CallerAuthentication` has found the caller before the request was
 * routed. This checks that the API is enabled and that the token has the ability that the endpoint `Needs`,
 * and provides the `Caller`.
 */
export class Access extends HttpApiMiddleware.Service<Access, { provides: Caller }>()(
  "waypost/access/Access",
  {
    error: [Unauthorized, Forbidden, TooManyRequests, InternalError, ServiceUnavailable],
    security: {
      token: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "A platform API token: `wps_…` works at the Sandbox address, `wpp_…` at the Production address.",
        ),
      ),
    },
  },
) {}
