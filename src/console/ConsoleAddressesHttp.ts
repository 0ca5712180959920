import { Effect } from "effect";
import { HttpServerRequest } from "effect/http";
import { CurrentActor } from "../access/Actor.ts";
import { Settings } from "../config/Settings.ts";
import { clientOf } from "../http/ClientAddress.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { utcText } from "../time/LocalTime.ts";
import { Forbidden } from "../wire/ApiError.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { Sessions } from "./Sessions.ts";

/** The error of a session: with one, a stolen cookie would sign itself in again for ever. */
const keyOnly = Forbidden.of(
  "missing_ability",
  "Only the operator key issues addresses that sign in, not a session: run waypost console on the server.",
);

/** Handlers of `ConsoleAddressesApi`. The address has the public host, else the host that was called. */
export const consoleAddressesHandlers = handlerGroup(
  OperatorApi,
  "console",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions;
    const { productionUrl, trustedProxies } = yield* Settings;
    return handlers.handle("issueAddress", () =>
      Effect.gen(function* () {
        if ((yield* CurrentActor)?.type === "session") return yield* keyOnly;
        const request = yield* HttpServerRequest.HttpServerRequest;
        const { host = "localhost", isHttps } = clientOf(request, trustedProxies);
        const called = `${isHttps ? "https" : "http"}://${host}`;
        const origin = productionUrl === undefined ? called : new URL(productionUrl).origin;
        const { code, expiresAt } = yield* sessions.issueCode();
        return { data: { url: `${origin}/console/sign-in#${code}`, expires_at: utcText(expiresAt) } };
      }),
    );
  }),
);
