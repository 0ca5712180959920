import { Context, Effect } from "effect";
import { CurrentActor } from "../access/Actor.ts";
import type { CallerAuthentication } from "../access/CallerAuthentication.ts";
import { bearer } from "../access/Credential.ts";
import { FailedAttempts } from "../access/FailedAttempts.ts";
import { operatorKeyCheck } from "../access/OperatorKey.ts";
import type { DataDirectory } from "../database/DataDirectory.ts";
import type { Authenticator, RefusedRequest } from "../http/Authenticators.ts";
import { Unauthorized } from "../wire/ApiError.ts";
import { operatorServices, routedUrl } from "./MovedEndpoints.ts";

const actor = { type: "operator", id: null, name: "operator" } as const;

const base = "/operator/v1";

const refused = (error: RefusedRequest["error"]): RefusedRequest => ({ error, headers: {} });

/** Authenticates the operator: compares the operator key, and throttles wrong keys (contract B1, I2). */
export const operatorAuthenticator: Effect.Effect<
  Authenticator,
  never,
  CallerAuthentication | DataDirectory | FailedAttempts
> = Effect.gen(function* () {
  const isOperatorKey = yield* operatorKeyCheck;
  const attempts = yield* FailedAttempts;
  const services = yield* operatorServices;
  return {
    name: "operator",
    match: (incoming) => {
      const { url } = incoming.request;
      const isOwn = url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);
      return isOwn ? routedUrl(incoming) : null;
    },
    authenticate: Effect.fnUntraced(function* (incoming) {
      const { clientAddress, request } = incoming;
      const key = bearer(request.headers["authorization"]);
      if (key === null) {
        return yield* Effect.fail(
          refused(
            Unauthorized.of(
              "missing_token",
              "Send the operator key in the Authorization header, as: Bearer <key>.",
            ),
          ),
        );
      }
      if (!isOperatorKey(key)) {
        const error = yield* attempts.refuse(
          clientAddress,
          "This is not the operator key of this installation.",
        );
        return yield* Effect.fail(refused(error));
      }
      const add = yield* Effect.mapError(services(incoming), refused);
      return {
        provide: (given) => Context.add(add(given), CurrentActor, actor),
        headers: {},
        log: {},
      };
    }),
  } satisfies Authenticator;
});
