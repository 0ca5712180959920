import { Effect } from "effect";
import { UserSecrets } from "../../devices/users/UserSecrets.ts";
import { OperatorApi } from "../../OperatorApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { operatorTenants } from "../OperatorTenants.ts";

/** Handlers of `UserSecretApi`. */
export const userSecretHandlers = handlerGroup(
  OperatorApi,
  "userSecret",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* operatorTenants;
    const secrets = yield* UserSecrets;
    return handlers.handle("issue", ({ params }) => tenants.data(params, secrets.issue));
  }),
);
