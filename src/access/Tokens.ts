import { Clock, Context, Effect, Layer } from "effect";
import { NotFound, type Unprocessable } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Environment } from "../workspaces/Environment.ts";
import { WorkspaceChanges } from "../database/WorkspaceChanges.ts";
import { digest, isCredential, makeCredential } from "./Credential.ts";
import { atMostEvery, cachedLookup } from "./CachedLookup.ts";
import type {
  IssuedSdkKey,
  IssuedToken,
  Revocation,
  SdkKey,
  SdkKeyDraft,
  Token,
  TokenDraft,
} from "./Token.ts";
import { type SdkKeyGrant, type TokenGrant, TokensSql } from "./TokensSql.ts";

/** Prefix of a platform token, by its environment. */
const tokenPrefix = (environment: Environment): string => (environment === "sandbox" ? "wps_" : "wpp_");

const sdkKeyPrefix = "wpk_";

const touchMillis = 60_000;

/** Issues and revokes the credentials of a workspace. Secrets are shown once and stored as digests. */
export class Tokens extends Context.Service<
  Tokens,
  {
    readonly issueToken: (
      workspaceId: number,
      body: ParsedBody<TokenDraft>,
    ) => Effect.Effect<typeof IssuedToken.Type, Unprocessable>;
    readonly pageOfTokens: TokensSql["Service"]["pageOfTokens"];
    /** Revokes a token in every process. @throws 404 */
    readonly revokeToken: (workspaceId: number, id: string) => Effect.Effect<Revocation<Token>, NotFound>;
    readonly issueSdkKey: (
      workspaceId: number,
      environment: Environment,
      body: ParsedBody<SdkKeyDraft>,
    ) => Effect.Effect<typeof IssuedSdkKey.Type, Unprocessable>;
    readonly pageOfSdkKeys: TokensSql["Service"]["pageOfSdkKeys"];
    readonly revokeSdkKey: (
      workspaceId: number,
      environment: Environment,
      id: string,
    ) => Effect.Effect<Revocation<SdkKey>, NotFound>;
    /** The grant of an SDK key, also of a revoked one; null for an unknown key. */
    readonly findSdkKey: (key: string) => Effect.Effect<SdkKeyGrant | null>;
    /** The grant of a platform token, also of one that no longer works; null for an unknown token. */
    readonly findToken: (token: string) => Effect.Effect<TokenGrant | null>;
    /** The grant of the token with an id, also of one that no longer works; null for an unknown id. */
    readonly findTokenById: (id: string) => Effect.Effect<TokenGrant | null>;
    /** Dates the use of a token. */
    readonly touchToken: (id: string) => Effect.Effect<void>;
    /** Dates the use of an SDK key. */
    readonly touchSdkKey: (id: string) => Effect.Effect<void>;
  }
>()("waypost/access/Tokens") {
  static readonly layer = Layer.effect(
    Tokens,
    Effect.gen(function* () {
      const repository = yield* TokensSql;
      const changes = yield* WorkspaceChanges;

      const lookUpToken = yield* cachedLookup(
        ({ workspace_id }: TokenGrant) => workspace_id,
        (token: string) => repository.findToken(digest(token)),
      );
      const lookUpTokenById = yield* cachedLookup(
        ({ workspace_id }: TokenGrant) => workspace_id,
        (id: string) => repository.findTokenById(id),
      );
      const lookUpSdkKey = yield* cachedLookup(
        ({ workspace_id }: SdkKeyGrant) => workspace_id,
        (key: string) => repository.findSdkKey(digest(key)),
      );
      const isTouchDue = atMostEvery(touchMillis);

      /** Dates a use in the background. `last_used_at` is exact to the minute. */
      const touch = (write: (id: string, now: number) => Effect.Effect<unknown>) =>
        Effect.fnUntraced(function* (id: string) {
          const now = yield* Clock.currentTimeMillis;
          if (isTouchDue(id, now)) yield* Effect.forkDetach(Effect.ignoreCause(write(id, now)));
        });

      const revoked = <Credential>(
        workspaceId: number,
        noun: string,
        revocation: Revocation<Credential> | null,
      ) =>
        revocation === null
          ? Effect.fail(NotFound.of(`There is no ${noun} with this id in this workspace.`))
          : Effect.as(changes.announce(workspaceId), revocation);

      return Tokens.of({
        issueToken: Effect.fn("Tokens.issueToken")(function* (workspaceId, body) {
          const draft = yield* body.complete;
          const now = yield* Clock.currentTimeMillis;
          const token = makeCredential(tokenPrefix(draft.environment));
          const issued = yield* repository.insertToken(workspaceId, {
            id: idAt(now),
            environment: draft.environment,
            name: draft.name,
            digest: digest(token),
            abilities: [...new Set(draft.abilities)],
            expiresAt: draft.expires_at ?? null,
            now,
          });
          return { ...issued, token };
        }),

        pageOfTokens: repository.pageOfTokens,

        revokeToken: Effect.fn("Tokens.revokeToken")(function* (workspaceId, id) {
          const now = yield* Clock.currentTimeMillis;
          const revocation = isUuid(id) ? yield* repository.revokeToken(workspaceId, id, now) : null;
          return yield* revoked(workspaceId, "token", revocation);
        }),

        issueSdkKey: Effect.fn("Tokens.issueSdkKey")(function* (workspaceId, environment, body) {
          const draft = yield* body.complete;
          const now = yield* Clock.currentTimeMillis;
          const key = makeCredential(sdkKeyPrefix);
          const issued = yield* repository.insertSdkKey(workspaceId, {
            id: idAt(now),
            environment,
            name: draft.name,
            digest: digest(key),
            allowedOrigins: draft.allowed_origins ? [...new Set(draft.allowed_origins)] : null,
            now,
          });
          return { ...issued, sdk_key: key };
        }),

        pageOfSdkKeys: repository.pageOfSdkKeys,

        revokeSdkKey: Effect.fn("Tokens.revokeSdkKey")(function* (workspaceId, environment, id) {
          const now = yield* Clock.currentTimeMillis;
          const revocation = isUuid(id)
            ? yield* repository.revokeSdkKey(workspaceId, environment, id, now)
            : null;
          return yield* revoked(workspaceId, "SDK key", revocation);
        }),

        findSdkKey: (key) => (isCredential(sdkKeyPrefix, key) ? lookUpSdkKey(key) : Effect.succeed(null)),

        findToken: (token) =>
          isCredential(tokenPrefix("sandbox"), token) || isCredential(tokenPrefix("production"), token)
            ? lookUpToken(token)
            : Effect.succeed(null),

        findTokenById: lookUpTokenById,

        touchToken: touch(repository.touchToken),

        touchSdkKey: touch(repository.touchSdkKey),
      });
    }),
  );
}
