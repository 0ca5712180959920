import { Clock, Context, Effect, Layer, Option } from "effect";
import { utcText } from "../time/LocalTime.ts";
import { Forbidden, type TooManyRequests, Unauthorized, Unprocessable } from "../wire/ApiError.ts";
import { type Environment, environmentName } from "../workspaces/Environment.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { abilities } from "./Ability.ts";
import { type Caller, operatorToken } from "./Caller.ts";
import { bearer } from "./Credential.ts";
import { FailedAttempts } from "./FailedAttempts.ts";
import { cachedLookup } from "./CachedLookup.ts";
import { operatorKeyCheck } from "./OperatorKey.ts";
import { Tokens } from "./Tokens.ts";
import type { TokenGrant } from "./TokensSql.ts";

/** The environment of the called address, and the base address of the other one. */
export interface CalledEnvironment {
  readonly environment: Environment;
  readonly otherBase: string;
}

/** The parts of a request that authentication reads. */
export interface AuthenticationAttempt extends CalledEnvironment {
  readonly authorization: string | undefined;
  /** The header `Waypost-Workspace`, by which the operator names a workspace. */
  readonly workspace: string | undefined;
  /** The address of the client, behind trusted proxies. */
  readonly clientAddress: string;
}

type WorkspaceRow = Pick<Caller["Service"], "workspace" | "workspaceId">;

/** The header in which a request of the operator names its workspace. */
export const workspaceHeader = "waypost-workspace";

/**
 * Finds out who calls the platform API, in which workspace and environment, before requests are routed. It
 * checks the throttle of unknown tokens, the token, the environment and the workspace, in this order
 * (contract B1, 1–4). The operator is in the environment of the address and the workspace of the header
 * (contract W1).
 */
export class CallerAuthentication extends Context.Service<
  CallerAuthentication,
  {
    readonly authenticate: (
      attempt: AuthenticationAttempt,
    ) => Effect.Effect<Caller["Service"], Unauthorized | Unprocessable | TooManyRequests | Forbidden>;
    /** The operator of a session in the workspace that its request names. @throws 422 */
    readonly authenticateOperator: (
      workspaceId: string | undefined,
      environment: Environment,
    ) => Effect.Effect<Caller["Service"], Unprocessable>;
    /**
     * Authenticates a session that was opened with a token; null if there is no such token any more. Without
     * `called` the environment is that of the token.
     */
    readonly authenticateGrant: (
      tokenId: string,
      called?: CalledEnvironment,
    ) => Effect.Effect<Caller["Service"] | null, Unauthorized | Forbidden>;
  }
>()("waypost/access/CallerAuthentication") {
  static readonly layer = Layer.effect(
    CallerAuthentication,
    Effect.gen(function* () {
      const tokens = yield* Tokens;
      const workspaces = yield* Workspaces;
      const attempts = yield* FailedAttempts;
      const isOperatorKey = yield* operatorKeyCheck;

      const findWorkspace = yield* cachedLookup(
        ({ workspaceId }) => workspaceId,
        (workspaceId: number) => workspaces.get(workspaceId),
      );

      const findNamedWorkspace = yield* cachedLookup(
        ({ workspaceId }) => workspaceId,
        (id: string) => Effect.map(Effect.option(workspaces.find(id)), Option.getOrNull),
      );

      /** The operator in the workspace that the header names. @throws 422 */
      const operator = Effect.fnUntraced(function* (id: string | undefined, environment: Environment) {
        const row = id === undefined || id === "" ? null : yield* findNamedWorkspace(id);
        if (row === null) {
          const problem = id ? "There is no workspace with this id." : "Name the workspace by its id.";
          return yield* Unprocessable.parameters({ "Waypost-Workspace": [problem] });
        }
        return { ...row, environment, token: operatorToken, abilities } satisfies Caller["Service"];
      });

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
          token: { id: grant.id, name: grant.name, expiresAt: grant.expires_at },
          abilities: grant.abilities,
        } satisfies Caller["Service"];
      });

      return CallerAuthentication.of({
        authenticate: Effect.fnUntraced(function* (attempt) {
          const token = bearer(attempt.authorization);
          if (token === null) {
            return yield* Unauthorized.of(
              "missing_token",
              "Send your platform API token in the Authorization header, as: Bearer <token>.",
            );
          }
          const grant = yield* tokens.findToken(token);
          if (grant === null && isOperatorKey(token)) {
            return yield* operator(attempt.workspace, attempt.environment);
          }
          const row = grant === null ? null : yield* findWorkspace(grant.workspace_id);
          if (grant === null || row === null) {
            return yield* yield* attempts.refuse(
              attempt.clientAddress,
              "This token is not known here: check that it was copied whole.",
            );
          }
          return yield* authorize(grant, row, attempt);
        }),

        authenticateOperator: operator,

        authenticateGrant: Effect.fnUntraced(function* (tokenId, called) {
          const grant = yield* tokens.findTokenById(tokenId);
          const row = grant === null ? null : yield* findWorkspace(grant.workspace_id);
          if (grant === null || row === null) return null;
          return yield* authorize(grant, row, called ?? { environment: grant.environment, otherBase: "" });
        }),
      });
    }),
  );
}
