import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { UserSecrets } from "../../devices/users/UserSecrets.ts";
import { OperatorApi } from "../../OperatorApi.ts";
import { OperatorTenants } from "../OperatorTenants.ts";

/** Handlers of `UserSecretApi`. */
export const userSecretHandlers = HttpApiBuilder.group(
  OperatorApi,
  "userSecret",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const secrets = yield* UserSecrets;
    return handlers.handle("issue", ({ params }) => tenants.data(params, secrets.issue));
  }),
);
