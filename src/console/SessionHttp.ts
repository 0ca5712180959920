import { Context, Effect } from "effect";
import { HttpEffect, HttpServerResponse } from "effect/http";
import { withRetryAfter } from "../wire/ErrorResponse.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { CurrentSession } from "./CurrentSession.ts";
import { SignIn } from "./ConsoleSession.ts";
import { ConsoleApi } from "./SessionApi.ts";
import { endedCookie, sessionCookie } from "./SessionCookie.ts";
import { Sessions, sessionSeconds } from "./Sessions.ts";

const setHeaders = (headers: Readonly<Record<string, string>>) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers)),
  );

const current = Effect.map(Effect.context(), (services) => Context.getUnsafe(services, CurrentSession));

/** Handlers of `ConsoleApi`. */
export const sessionHandlers = handlerGroup(
  ConsoleApi,
  "session",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions;
    return handlers
      .handleRaw("open", ({ endpoint, request }) =>
        withRetryAfter(
          Effect.gen(function* () {
            const { clientAddress: address, cookie: previousCookie, cookieName } = yield* current;
            const body = yield* readParsedBody(SignIn, { request, endpoint });
            const { cookie, session } = yield* sessions.open(body, {
              address,
              previousCookie,
              userAgent: request.headers["user-agent"],
            });
            const data = yield* sessions.describe(session);
            if (data === null) return yield* Effect.die(new Error("A session ended as it was opened"));
            yield* setHeaders({ "set-cookie": sessionCookie(cookieName, cookie, sessionSeconds) });
            return { data };
          }),
        ),
      )
      .handle("show", () =>
        Effect.gen(function* () {
          const { session } = yield* current;
          return { data: session === null ? null : yield* sessions.describe(session) };
        }),
      )
      .handle("end", () =>
        Effect.gen(function* () {
          const { cookie, cookieName } = yield* current;
          yield* sessions.end(cookie);
          // Pages that the browser keeps for "Back" go, too.
          yield* setHeaders({ "set-cookie": endedCookie(cookieName), "clear-site-data": '"cache"' });
          return { data: { signed_out: true as const } };
        }),
      );
  }),
);
