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

/** Annotation of a platform endpoint: the ability that a token needs for it. `GET /me` has none. */
export class Needs extends Context.Service<Needs, Ability>()("waypost/access/Needs") {}

/** Annotation of a platform endpoint: it works in Production before the operator enables the full API (contract B1). */
export const WorksAlways = Context.Reference<boolean>("waypost/access/WorksAlways", {
  defaultValue: () => false,
});

/**
 * What every platform endpoint demands. The token itself is checked before the request is even routed (`TokenAuthentication`);
 * this checks that the API is enabled and that the token has the ability the endpoint `Needs`, and provides the `Caller`.
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
