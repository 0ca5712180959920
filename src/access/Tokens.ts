import { Clock, Context, Effect, Layer } from "effect";
import { NotFound } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Environment } from "../workspaces/Environment.ts";
import { WorkspaceChanges } from "../database/WorkspaceChanges.ts";
import { digest, isCredential, makeCredential } from "./Credential.ts";
import { cachedLookup, atMostEvery } from "./CachedLookup.ts";
import type { SdkKeyDraft, TokenDraft } from "./Token.ts";
import { type Revocation, type SdkKeyGrant, type TokenGrant, TokensRepository } from "./TokensRepository.ts";

/** Prefix of a platform token, by its environment. */
const tokenPrefix = (environment: Environment): string => (environment === "sandbox" ? "wps_" : "wpp_");

const sdkKeyPrefix = "wpk_";

const touchMillis = 60_000;

/** Issues and revokes the credentials of a workspace. Secrets are shown once and stored as digests. */
export class Tokens extends Context.Service<Tokens>()("waypost/access/Tokens", {
  make: Effect.gen(function* () {
    const repository = yield* TokensRepository;
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

    return {
      issueToken: Effect.fn("Tokens.issueToken")(function* (
        workspaceId: number,
        body: ParsedBody<TokenDraft>,
      ) {
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

      /** Revokes a token in every process. @throws 404 */
      revokeToken: Effect.fn("Tokens.revokeToken")(function* (workspaceId: number, id: string) {
        const now = yield* Clock.currentTimeMillis;
        const revocation = isUuid(id) ? yield* repository.revokeToken(workspaceId, id, now) : null;
        return yield* revoked(workspaceId, "token", revocation);
      }),

      issueSdkKey: Effect.fn("Tokens.issueSdkKey")(function* (
        workspaceId: number,
        environment: Environment,
        body: ParsedBody<SdkKeyDraft>,
      ) {
        const draft = yield* body.complete;
        const now = yield* Clock.currentTimeMillis;
        const key = makeCredential(sdkKeyPrefix);
        const issued = yield* repository.insertSdkKey(workspaceId, {
          id: idAt(now),
          environment,
          name: draft.name,
          digest: digest(key),
          now,
        });
        return { ...issued, sdk_key: key };
      }),

      pageOfSdkKeys: repository.pageOfSdkKeys,

      revokeSdkKey: Effect.fn("Tokens.revokeSdkKey")(function* (
        workspaceId: number,
        environment: Environment,
        id: string,
      ) {
        const now = yield* Clock.currentTimeMillis;
        const revocation = isUuid(id)
          ? yield* repository.revokeSdkKey(workspaceId, environment, id, now)
          : null;
        return yield* revoked(workspaceId, "SDK key", revocation);
      }),

      /** The grant of an SDK key, also of a revoked one; null for an unknown key. */
      findSdkKey: (key: string) =>
        isCredential(sdkKeyPrefix, key) ? lookUpSdkKey(key) : Effect.succeed(null),

      /** The grant of a platform token, also of one that no longer works; null for an unknown token. */
      findToken: (token: string) =>
        isCredential(tokenPrefix("sandbox"), token) || isCredential(tokenPrefix("production"), token)
          ? lookUpToken(token)
          : Effect.succeed(null),

      /** The grant of the token with an id, also of one that no longer works; null for an unknown id. */
      findTokenById: lookUpTokenById,

      /** Dates the use of a token. */
      touchToken: touch(repository.touchToken),

      /** Dates the use of an SDK key. */
      touchSdkKey: touch(repository.touchSdkKey),
    };
  }),
}) {
  static readonly layer = Layer.effect(Tokens, Tokens.make);
}
