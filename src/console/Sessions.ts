import { Clock, Context, Effect, Layer } from "effect";
import { abilities } from "../access/Ability.ts";
import { CurrentActor } from "../access/Actor.ts";
import { CallerAuthentication } from "../access/CallerAuthentication.ts";
import { digest, isCredential, makeCredential } from "../access/Credential.ts";
import { FailedAttempts } from "../access/FailedAttempts.ts";
import { operatorKeyCheck, operatorKeyFingerprint } from "../access/OperatorKey.ts";
import { Tokens } from "../access/Tokens.ts";
import { utcText } from "../time/LocalTime.ts";
import { NotFound, TooManyRequests } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { counted } from "../wire/Text.ts";
import type { ConsoleSession, SignIn } from "./ConsoleSession.ts";
import type { ListedSession } from "./ListedSession.ts";
import { type CountedSession, SessionsSql } from "./SessionsSql.ts";

const cookiePrefix = "wpc_";
const codePrefix = "wpo_";
const codeMillis = 15 * 60_000;
const requestsPerMinute = 600;
const maxUserAgent = 255;

/** How long a session lasts, in seconds. */
export const sessionSeconds = 12 * 3600;

/** A session as it was when its request was authenticated. */
export type OpenSession = Pick<CountedSession, "id" | "tokenId" | "name" | "expiresAt">;

/** The browser that signs in, and the cookie that it had. */
interface Client {
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly previousCookie: string | null;
}

/** The id of the session that makes the current request; null for another caller. */
const currentId = Effect.map(CurrentActor, (actor) => (actor?.type === "session" ? actor.id : null));

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
    const repository = yield* SessionsSql;
    const tokens = yield* Tokens;
    const authentication = yield* CallerAuthentication;
    const attempts = yield* FailedAttempts;
    const operatorKey = yield* operatorKeyFingerprint;
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
      const isSpent =
        isCredential(codePrefix, code) && (yield* repository.spendCode(digest(code), operatorKey, now));
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
        { address, previousCookie, userAgent }: Client,
      ) {
        const key = body.fields.access_key?.trim() ?? "";
        const code = body.fields.code?.trim() ?? "";
        if (key === "" && code === "") body.problems.add("access_key", "The access key is required.");
        const { name } = yield* body.complete;
        const tokenId = code === "" ? yield* tokenOf(key, address) : null;
        if (code !== "") yield* spend(code, address);
        const createdAt = yield* Clock.currentTimeMillis;
        const cookie = makeCredential(cookiePrefix);
        const session = {
          id: idAt(createdAt),
          tokenId,
          name: name ?? null,
          expiresAt: createdAt + sessionSeconds * 1000,
        };
        yield* repository.open({
          ...session,
          digest: digest(cookie),
          operatorKey: tokenId === null ? operatorKey : null,
          address,
          userAgent: userAgent?.slice(0, maxUserAgent) ?? null,
          createdAt,
        });
        yield* end(previousCookie);
        return { cookie, session };
      }),

      /** The session of a cookie; null for one that has ended. Counts a request. @throws 429 */
      find: Effect.fnUntraced(function* (cookie: string, address: string) {
        if (!isCredential(cookiePrefix, cookie)) return null;
        const now = yield* Clock.currentTimeMillis;
        const use = { operatorKey, address, limit: requestsPerMinute, now };
        const session = yield* repository.take(digest(cookie), use);
        if (session === null) return null;
        const { minuteOpened, minuteUsed } = session;
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

      /** Open sessions, newest first. */
      page: Effect.fn("Sessions.page")(function* (position: PagePosition) {
        const current = yield* currentId;
        const rows = yield* repository.page(operatorKey, yield* Clock.currentTimeMillis, position);
        return rows.map((row) => ({ ...row, is_current: row.id === current }) satisfies ListedSession);
      }),

      /** Ends a session. @throws 404 */
      endById: Effect.fn("Sessions.endById")(function* (id: string) {
        if (!isUuid(id) || !(yield* repository.endById(id)))
          return yield* NotFound.of("There is no session with this id: it may have ended.");
        return { id: id.toLowerCase(), deleted: true as const };
      }),

      /** Ends all sessions, or all but the one that makes the request; gives how many. */
      endAll: Effect.fn("Sessions.endAll")(function* (isCurrentKept: boolean) {
        const kept = isCurrentKept ? yield* currentId : null;
        return yield* repository.endOthers(kept, yield* Clock.currentTimeMillis);
      }),

      /** Issues the code of a one-time address that signs the operator in. */
      issueCode: Effect.fn("Sessions.issueCode")(function* () {
        const now = yield* Clock.currentTimeMillis;
        const code = makeCredential(codePrefix);
        yield* repository.issueCode(digest(code), operatorKey, now + codeMillis, now);
        return { code, expiresAt: now + codeMillis };
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Sessions, Sessions.make);
}
