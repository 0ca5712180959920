import { Cause, Clock, Effect } from "effect";
import { BeforeCommit, CommitRefused } from "../database/BeforeCommit.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { Forbidden, Unauthorized } from "../wire/ApiError.ts";
import { errorResponse } from "../wire/ErrorResponse.ts";
import type { HttpServerResponse } from "effect/http";
import type { Caller } from "./Caller.ts";
import { type AccessEnd, TokensSql } from "./TokensSql.ts";

const nothingChanged = "while this request ran, so nothing was changed.";

const ends: Readonly<Record<AccessEnd, Unauthorized | Forbidden>> = {
  revoked: Unauthorized.of("unauthenticated", `The token was revoked ${nothingChanged}`),
  expired: Unauthorized.of("unauthenticated", `The token expired ${nothingChanged}`),
  paused: Forbidden.of("workspace_paused", `The deletion of this workspace was scheduled ${nothingChanged}`),
  disabled: Forbidden.of(
    "platform_api_not_enabled",
    `The full platform API was disabled for this workspace ${nothingChanged}`,
  ),
};

const isAccessEnd = (reason: string): reason is AccessEnd => Object.hasOwn(ends, reason);

/** The error of the access that ended; undefined if the cause is another one. */
const endOf = (cause: Cause.Cause<unknown>): Unauthorized | Forbidden | undefined =>
  cause.reasons
    .filter(Cause.isDieReason)
    .map(({ defect }) =>
      defect instanceof CommitRefused && isAccessEnd(defect.reason) ? ends[defect.reason] : undefined,
    )
    .find((error) => error !== undefined);

type Handled<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>;

/**
 * Makes the function that runs a change of a caller so that its transaction commits only if the token is
 * still valid, and the workspace neither paused nor without the full API (contract B2). Otherwise the
 * response says what has ended. A revocation waits for a transaction that has checked. The check costs no
 * round trip: PostgreSQL runs it before the commit and fails both.
 */
export const accessAtCommit = Effect.map(
  TokensSql,
  (repository) =>
    <E, R>(
      { environment, token }: Caller["Service"],
      worksAlways: boolean,
      change: Handled<E, R>,
    ): Handled<E, R> => {
      // The access of the operator does not end.
      const tokenId = token.id;
      if (tokenId === null) return change;
      const needsApi = environment === "production" && !worksAlways;
      const check = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        pipelined(repository.requireAccess({ tokenId, needsApi, now })),
      );
      return change.pipe(
        Effect.provideService(BeforeCommit, check),
        Effect.catchCause((cause) => {
          const ended = endOf(cause);
          return ended === undefined ? Effect.failCause(cause) : Effect.succeed(errorResponse(ended));
        }),
      );
    },
);
