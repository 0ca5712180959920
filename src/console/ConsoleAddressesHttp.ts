import { Effect } from "effect";
import { HttpServerRequest } from "effect/http";
import { Settings } from "../config/Settings.ts";
import { clientOf } from "../http/ClientAddress.ts";
import { OperatorApi } from "../OperatorApi.ts";
import { utcText } from "../time/LocalTime.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { Sessions } from "./Sessions.ts";

/** Handlers of `ConsoleAddressesApi`. The address has the public host, else the host that was called. */
export const consoleAddressesHandlers = handlerGroup(
  OperatorApi,
  "console",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions;
    const { productionUrl, trustedProxies } = yield* Settings;
    return handlers.handle("issueAddress", () =>
      Effect.gen(function* () {
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
