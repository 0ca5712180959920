import { Context, Effect } from "effect";
import { CurrentActor } from "../access/Actor.ts";
import { bearer } from "../access/Credential.ts";
import { FailedAttempts } from "../access/FailedAttempts.ts";
import { operatorKeyCheck } from "../access/OperatorKey.ts";
import type { DataDirectory } from "../database/DataDirectory.ts";
import type { Authenticator, RefusedRequest } from "../http/Authenticators.ts";
import { Unauthorized } from "../wire/ApiError.ts";
import { IsOperator } from "./OperatorAccess.ts";

const actor = { type: "operator", id: null, name: "operator" } as const;

const base = "/operator/v1";

const refused = (error: RefusedRequest["error"]): RefusedRequest => ({ error, headers: {} });

/** Authenticates the operator: compares the operator key, and throttles wrong keys (contract B1, I2). */
export const operatorAuthenticator: Effect.Effect<Authenticator, never, DataDirectory | FailedAttempts> =
  Effect.gen(function* () {
    const isOperatorKey = yield* operatorKeyCheck;
    const attempts = yield* FailedAttempts;
    return {
      name: "operator",
      match: ({ request: { url } }) =>
        url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`) ? url : null,
      authenticate: Effect.fnUntraced(function* ({ clientAddress, request }) {
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
        return {
          provide: (services) => Context.add(Context.add(services, IsOperator, true), CurrentActor, actor),
          headers: {},
          log: {},
        };
      }),
    } satisfies Authenticator;
  });
