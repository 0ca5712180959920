import { Clock, Context, Effect, Layer } from "effect";
import { utcText } from "../time/LocalTime.ts";
import { Forbidden, Unauthorized } from "../wire/ApiError.ts";
import { type Environment, environmentName } from "../workspaces/Environment.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { Caller } from "./Caller.ts";
import { bearer } from "./Credential.ts";
import { FailedAttempts } from "./FailedAttempts.ts";
import { cachedLookup } from "./CachedLookup.ts";
import { Tokens } from "./Tokens.ts";
import type { TokenGrant } from "./TokensRepository.ts";

/** The environment of the called address, and the base address of the other one. */
export interface CalledEnvironment {
  readonly environment: Environment;
  readonly otherBase: string;
}

/** The parts of a request that authentication reads. */
export interface AuthenticationAttempt extends CalledEnvironment {
  readonly authorization: string | undefined;
  /** The address of the client, behind trusted proxies. */
  readonly clientAddress: string;
}

type WorkspaceRow = Pick<Caller["Service"], "workspace" | "workspaceId">;

/**
 * Authenticates requests to the platform API by their token, before they are routed. It checks the throttle
 * of unknown tokens, the token, the environment and the workspace, in this order (contract B1, 1–4).
 */
export class TokenAuthentication extends Context.Service<TokenAuthentication>()(
  "waypost/access/TokenAuthentication",
  {
    make: Effect.gen(function* () {
      const tokens = yield* Tokens;
      const workspaces = yield* Workspaces;
      const attempts = yield* FailedAttempts;

      const findWorkspace = yield* cachedLookup(
        ({ workspaceId }) => workspaceId,
        (workspaceId: number) => workspaces.get(workspaceId),
      );

      /** The grant at an address of this environment. @throws 401, 403 (contract B1, 2–4) */
      const authorize = Effect.fnUntraced(function* (
        grant: TokenGrant,
        row: WorkspaceRow,
        { environment, otherBase }: CalledEnvironment,
      ) {
        if (grant.revoked_at !== null) {
          return yield* Unauthorized.of(
            "token_revoked",
            `The token "${grant.name}" was revoked on ${utcText(grant.revoked_at.getTime())}: ` +
              "use another one.",
          );
        }
        if (grant.expires_at !== null && grant.expires_at.getTime() <= (yield* Clock.currentTimeMillis)) {
          return yield* Unauthorized.of(
            "token_expired",
            `The token "${grant.name}" expired on ${utcText(grant.expires_at.getTime())}: use another one.`,
          );
        }
        if (grant.environment !== environment) {
          return yield* Forbidden.of(
            "wrong_environment",
            `This is a ${environmentName(grant.environment)} token: use it at ${otherBase}.`,
          );
        }
        if (row.workspace.deletion_scheduled_at !== null) {
          return yield* Forbidden.of(
            "workspace_paused",
            "This workspace is scheduled for deletion, so its tokens do not work.",
          );
        }
        yield* tokens.touchToken(grant.id);
        return {
          ...row,
          environment: grant.environment,
          tokenId: grant.id,
          tokenName: grant.name,
          abilities: grant.abilities,
        } satisfies Caller["Service"];
      });

      return {
        authenticate: Effect.fnUntraced(function* (attempt: AuthenticationAttempt) {
          const token = bearer(attempt.authorization);
          if (token === null) {
            return yield* Unauthorized.of(
              "missing_token",
              "Send your platform API token in the Authorization header, as: Bearer <token>.",
            );
          }
          const grant = yield* tokens.findToken(token);
          const row = grant === null ? null : yield* findWorkspace(grant.workspace_id);
          if (grant === null || row === null) {
            return yield* yield* attempts.refuse(
              attempt.clientAddress,
              "This token is not known here: check that it was copied whole.",
            );
          }
          return yield* authorize(grant, row, attempt);
        }),

        /**
         * Authenticates a session that was opened with a token; null if there is no such token any more.
         * Without `called` the environment is that of the token.
         */
        authenticateGrant: Effect.fnUntraced(function* (tokenId: string, called?: CalledEnvironment) {
          const grant = yield* tokens.findTokenById(tokenId);
          const row = grant === null ? null : yield* findWorkspace(grant.workspace_id);
          if (grant === null || row === null) return null;
          return yield* authorize(grant, row, called ?? { environment: grant.environment, otherBase: "" });
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(TokenAuthentication, TokenAuthentication.make);
}
