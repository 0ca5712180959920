import { Clock, Context, Effect, Layer, Redacted } from "effect";
import { createHmac, timingSafeEqual } from "node:crypto";
import { abilities } from "../access/Ability.ts";
import { CallerAuthentication } from "../access/CallerAuthentication.ts";
import { digest, isCredential, makeCredential } from "../access/Credential.ts";
import { FailedAttempts } from "../access/FailedAttempts.ts";
import { operatorKeyCheck } from "../access/OperatorKey.ts";
import { Tokens } from "../access/Tokens.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import { utcText } from "../time/LocalTime.ts";
import { TooManyRequests } from "../wire/ApiError.ts";
import { idAt } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { counted } from "../wire/Text.ts";
import type { ConsoleSession, SignIn } from "./ConsoleSession.ts";
import { type CountedSession, SessionsRepository } from "./SessionsRepository.ts";

const cookiePrefix = "wpc_";
const codePrefix = "wpo_";
const codeMillis = 15 * 60_000;
const requestsPerMinute = 600;

/** How long a session lasts, in seconds. */
export const sessionSeconds = 12 * 3600;

/** A session as it was when its request was authenticated. */
export type OpenSession = Pick<CountedSession, "id" | "tokenId" | "name" | "expiresAt">;

/** The sentence of a credential that opens no session. */
const unknownKey = "This key is not known.";
const unknownCode =
  "This address does not sign in any more: it works once, and for 15 minutes. " +
  "Get a new one with waypost console.";

/**
 * Sessions of the console. A session holds neither a token nor the operator key: it names the token, whose
 * state is read for each request, or has a fingerprint of the operator key.
 */
export class Sessions extends Context.Service<Sessions>()("waypost/console/Sessions", {
  make: Effect.gen(function* () {
    const repository = yield* SessionsRepository;
    const tokens = yield* Tokens;
    const authentication = yield* CallerAuthentication;
    const attempts = yield* FailedAttempts;
    const { operatorKey, secretKey } = yield* DataDirectory;

    const fingerprint = new Uint8Array(
      createHmac("sha256", Redacted.value(secretKey))
        .update("waypost console operator key\0")
        .update(Redacted.value(operatorKey))
        .digest(),
    );
    const isOperatorKey = yield* operatorKeyCheck;

    /** The token of an access key; null for the operator key. @throws 401, 403, 429 */
    const tokenOf = Effect.fnUntraced(function* (key: string, clientAddress: string) {
      if (isOperatorKey(key)) return null;
      const grant = yield* tokens.findToken(key);
      const caller = grant === null ? null : yield* authentication.authenticateGrant(grant.id);
      return caller === null ? yield* yield* attempts.refuse(clientAddress, unknownKey) : caller.token.id;
    });

    const spend = Effect.fnUntraced(function* (code: string, clientAddress: string) {
      const now = yield* Clock.currentTimeMillis;
      const isSpent = isCredential(codePrefix, code) && (yield* repository.spendCode(digest(code), now));
      if (!isSpent) return yield* yield* attempts.refuse(clientAddress, unknownCode);
    });

    const end = (cookie: string | null) =>
      cookie === null ? Effect.succeed(false) : repository.end(digest(cookie));

    return {
      /**
       * Opens a session and ends the one that the browser had, so that nobody can prepare a cookie for it.
       * @throws 401, 403, 422, 429
       */
      open: Effect.fn("Sessions.open")(function* (
        body: ParsedBody<SignIn>,
        clientAddress: string,
        previousCookie: string | null,
      ) {
        const key = body.fields.access_key?.trim() ?? "";
        const code = body.fields.code?.trim() ?? "";
        if (key === "" && code === "") body.problems.add("access_key", "The access key is required.");
        const { name } = yield* body.complete;
        const tokenId = code === "" ? yield* tokenOf(key, clientAddress) : null;
        if (code !== "") yield* spend(code, clientAddress);
        const createdAt = yield* Clock.currentTimeMillis;
        const cookie = makeCredential(cookiePrefix);
        const session = {
          id: idAt(createdAt),
          tokenId,
          name: name ?? null,
          expiresAt: createdAt + sessionSeconds * 1000,
        };
        const operatorKeyOf = tokenId === null ? fingerprint : null;
        yield* repository.open({ ...session, digest: digest(cookie), operatorKey: operatorKeyOf, createdAt });
        yield* end(previousCookie);
        return { cookie, session };
      }),

      /** The session of a cookie; null for one that has ended. Counts a request. @throws 429 */
      find: Effect.fnUntraced(function* (cookie: string) {
        if (!isCredential(cookiePrefix, cookie)) return null;
        const now = yield* Clock.currentTimeMillis;
        const session = yield* repository.take(digest(cookie), requestsPerMinute, now);
        if (session === null) return null;
        const { minuteOpened, minuteUsed, operatorKey: opened } = session;
        if (opened !== null && !timingSafeEqual(opened, fingerprint)) return null;
        if (minuteUsed > requestsPerMinute) {
          const seconds = Math.max(1, Math.ceil((minuteOpened + 60_000 - now) / 1000));
          return yield* TooManyRequests.of(
            "rate_limited",
            `This session's limit of ${requestsPerMinute} requests a minute is used up: ` +
              `try again in ${counted(seconds, "second")}.`,
            seconds,
          );
        }
        return session satisfies OpenSession;
      }),

      /** A session as the console shows it; null once its token has ended. */
      describe: Effect.fn("Sessions.describe")(function* (session: OpenSession) {
        const shown = {
          id: session.id,
          name: session.name,
          expires_at: utcText(session.expiresAt),
          now: utcText(yield* Clock.currentTimeMillis),
        };
        if (session.tokenId === null) {
          const operator = { ...shown, kind: "operator", workspace: null, environment: null } as const;
          return { ...operator, abilities } satisfies ConsoleSession;
        }
        const caller = yield* authentication.authenticateGrant(session.tokenId).pipe(
          // An ended token is no error of the question who is signed in.
          Effect.orElseSucceed(() => null),
        );
        if (caller === null) return null;
        const { id, name, timezone } = caller.workspace;
        return {
          ...shown,
          kind: "token",
          workspace: { id, name, timezone },
          environment: caller.environment,
          abilities: caller.abilities,
        } satisfies ConsoleSession;
      }),

      /** Ends the session of a cookie in every process. */
      end,

      /** Issues the code of a one-time address that signs the operator in. */
      issueCode: Effect.fn("Sessions.issueCode")(function* () {
        const now = yield* Clock.currentTimeMillis;
        const code = makeCredential(codePrefix);
        yield* repository.issueCode(digest(code), now + codeMillis, now);
        return { code, expiresAt: now + codeMillis };
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Sessions, Sessions.make);
}
