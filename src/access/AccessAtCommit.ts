import { Cause, Clock, Effect } from "effect";
import { BeforeCommit } from "../database/BeforeCommit.ts";
import { Forbidden, Unauthorized } from "../wire/ApiError.ts";
import { errorResponse } from "../wire/ErrorResponse.ts";
import type { HttpServerResponse } from "effect/http";
import type { Caller } from "./Caller.ts";
import { type TokenAccess, TokensRepository } from "./TokensRepository.ts";

/** The defect of a transaction whose caller lost its access meanwhile. */
class AccessEnded {
  readonly error: Unauthorized | Forbidden;
  constructor(error: Unauthorized | Forbidden) {
    this.error = error;
  }
}

const nothingChanged = "while this request ran, so nothing was changed.";

const tokenEnded = (how: string) =>
  new AccessEnded(Unauthorized.of("unauthenticated", `The token ${how} ${nothingChanged}`));

/** Why an access has ended; null if it has not. */
const endOf = (
  access: TokenAccess | null,
  { environment }: Caller["Service"],
  worksAlways: boolean,
  now: number,
): AccessEnded | null => {
  if (access === null || access.isRevoked) return tokenEnded("was revoked");
  if (access.expiresAt !== null && access.expiresAt <= now) return tokenEnded("expired");
  if (access.isPaused) {
    const message = `The deletion of this workspace was scheduled ${nothingChanged}`;
    return new AccessEnded(Forbidden.of("workspace_paused", message));
  }
  if (access.isApiEnabled || worksAlways || environment === "sandbox") return null;
  const message = `The full platform API was disabled for this workspace ${nothingChanged}`;
  return new AccessEnded(Forbidden.of("platform_api_not_enabled", message));
};

type Handled<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>;

/**
 * Makes the function that runs a change of a caller so that its transaction commits only if the token is
 * still valid, and the workspace neither paused nor without the full API (contract B2). Otherwise the
 * response says what has ended. A revocation waits for a transaction that has checked.
 */
export const accessAtCommit = Effect.map(
  TokensRepository,
  (repository) =>
    <E, R>(caller: Caller["Service"], worksAlways: boolean, change: Handled<E, R>): Handled<E, R> => {
      const check = Effect.gen(function* () {
        const access = yield* caller.tokenId === null
          ? repository.holdWorkspaceAccess(caller.workspaceId)
          : repository.holdAccess(caller.tokenId);
        const ended = endOf(access, caller, worksAlways, yield* Clock.currentTimeMillis);
        if (ended !== null) yield* Effect.die(ended);
      });
      return change.pipe(
        Effect.provideService(BeforeCommit, check),
        Effect.catchCause((cause) => {
          const ended = cause.reasons
            .filter(Cause.isDieReason)
            .map(({ defect }) => defect)
            .find((defect) => defect instanceof AccessEnded);
          return ended === undefined ? Effect.failCause(cause) : Effect.succeed(errorResponse(ended.error));
        }),
      );
    },
);
