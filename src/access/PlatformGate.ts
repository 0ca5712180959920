import { Clock, Context, Effect, Layer } from "effect";
import { utcText } from "../time/LocalTime.ts";
import { Forbidden, Unauthorized } from "../wire/ApiError.ts";
import { type Environment, environmentName } from "../workspaces/Environment.ts";
import { WorkspaceChanges } from "../database/WorkspaceChanges.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { Caller } from "./Caller.ts";
import { bearer, digest, isCredential } from "./Credential.ts";
import { FailedAttempts } from "./FailedAttempts.ts";
import { tokenPrefix } from "./Tokens.ts";
import { type TokenGrant, TokensSql } from "./TokensSql.ts";

/** How long a token is remembered without being looked up again, in milliseconds: bounds a lost notification. */
const rememberedMillis = 5_000;
const rememberedTokens = 10_000;
const touchMillis = 60_000;

interface Remembered {
  readonly grant: TokenGrant;
  readonly caller: Caller["Service"];
  readonly until: number;
}

/** What the gate needs to know of a request. */
export interface Knock {
  readonly authorization: string | undefined;
  /** Where the request comes from, behind trusted proxies. */
  readonly clientAddress: string;
  /** The environment of the address that was called, and the base address of the other one. */
  readonly environment: Environment;
  readonly otherBase: string;
}

/**
 * Lets a request in to the platform API by its token, before it is routed and before a byte of its body is read: the
 * failed-token throttle, the token, the environment and the workspace, in this order (contract B1, 1–4).
 */
export class PlatformGate extends Context.Service<PlatformGate>()("waypost/access/PlatformGate", {
  make: Effect.gen(function* () {
    const repository = yield* TokensSql;
    const workspaces = yield* Workspaces;
    const attempts = yield* FailedAttempts;
    const changes = yield* WorkspaceChanges;
    const remembered = new Map<string, Remembered>();
    const touched = new Map<string, number>();

    // A look-up that a change overtakes must not be remembered.
    let generation = 0;
    yield* changes.listen((workspaceId) => {
      generation++;
      for (const [token, entry] of remembered) {
        if (workspaceId === "all" || entry.grant.workspace_id === workspaceId) remembered.delete(token);
      }
    });

    const lookUp = Effect.fnUntraced(function* (token: string, now: number) {
      const known = remembered.get(token);
      if (known !== undefined && known.until > now) return known;
      const started = generation;
      const grant = (yield* repository.findToken(digest(token)))[0];
      if (grant === undefined) return null;
      const { workspace, workspaceId } = yield* workspaces.get(grant.workspace_id);
      const caller = {
        workspaceId,
        workspace,
        environment: grant.environment,
        tokenId: grant.id,
        abilities: grant.abilities,
      };
      const entry = { grant, caller, until: now + rememberedMillis };
      if (remembered.size >= rememberedTokens) remembered.clear();
      if (started === generation) remembered.set(token, entry);
      return entry;
    });

    /** `last_used_at` is right to the minute; nobody waits for it. */
    const touch = (id: string, now: number) => {
      if (now - (touched.get(id) ?? -Infinity) < touchMillis) return Effect.void;
      if (touched.size >= rememberedTokens) touched.clear();
      touched.set(id, now);
      return Effect.asVoid(Effect.forkDetach(Effect.ignoreCause(repository.touchTokens([id], now))));
    };

    return {
      admit: Effect.fnUntraced(function* (knock: Knock) {
        const token = bearer(knock.authorization);
        if (token === null) {
          return yield* Unauthorized.of(
            "missing_token",
            "Send your platform API token in the Authorization header, as: Bearer <token>.",
          );
        }
        const now = yield* Clock.currentTimeMillis;
        const possible =
          isCredential(tokenPrefix("sandbox"), token) || isCredential(tokenPrefix("production"), token);
        const entry = possible ? yield* lookUp(token, now) : null;
        if (entry === null) {
          return yield* yield* attempts.refuse(
            knock.clientAddress,
            "This token is not known here: check that it was copied whole.",
          );
        }
        const { caller, grant } = entry;
        if (grant.revoked_at !== null) {
          return yield* Unauthorized.of(
            "token_revoked",
            `The token "${grant.name}" was revoked on ${utcText(grant.revoked_at.getTime())}: use another one.`,
          );
        }
        if (grant.expires_at !== null && grant.expires_at.getTime() <= now) {
          return yield* Unauthorized.of(
            "token_expired",
            `The token "${grant.name}" expired on ${utcText(grant.expires_at.getTime())}: use another one.`,
          );
        }
        if (grant.environment !== knock.environment) {
          return yield* Forbidden.of(
            "wrong_environment",
            `This is a ${environmentName(grant.environment)} token: use it at ${knock.otherBase}.`,
          );
        }
        if (caller.workspace.deletion_scheduled_at !== null) {
          return yield* Forbidden.of(
            "workspace_paused",
            "This workspace is scheduled for deletion, so its tokens do not work.",
          );
        }
        yield* touch(grant.id, now);
        return caller;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(PlatformGate, PlatformGate.make).pipe(Layer.provide(TokensSql.layer));
}
