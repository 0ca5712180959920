import { Context } from "effect";
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api";
import { InternalError, ServiceUnavailable, TooManyRequests, Unauthorized } from "../wire/ApiError.ts";

/** Whether the request was authenticated with the operator key. An endpoint that finds false is a defect. */
export const IsOperator = Context.Reference<boolean>("waypost/operator/IsOperator", {
  defaultValue: () => false,
});

/** Middleware of every operator endpoint. The operator key is checked before the request is routed. */
export class OperatorAccess extends HttpApiMiddleware.Service<OperatorAccess>()(
  "waypost/operator/OperatorAccess",
  {
    error: [Unauthorized, TooManyRequests, InternalError, ServiceUnavailable],
    security: {
      operatorKey: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "The operator key of this installation: `WAYPOST_OPERATOR_KEY`, or `operator.key` in the data " +
            "directory.",
        ),
      ),
    },
  },
) {}
