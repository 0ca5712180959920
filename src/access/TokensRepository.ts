import { Context, type Effect } from "effect";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Environment } from "../workspaces/Environment.ts";
import type { Ability } from "./Ability.ts";
import type { SdkKey, Token } from "./Token.ts";

/** The grant of an API token, with the facts that can end it. */
export interface TokenGrant {
  readonly id: string;
  readonly name: string;
  readonly workspace_id: number;
  readonly environment: Environment;
  readonly abilities: ReadonlyArray<Ability>;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/** Why the access of a token has ended; `disabled` is the full platform API. */
export type AccessEnd = "revoked" | "expired" | "paused" | "disabled";

/** The facts of a token that a change needs. */
export interface AccessNeed {
  readonly tokenId: string;
  /** Whether the full platform API must be enabled. */
  readonly needsApi: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The grant of an SDK key. */
export interface SdkKeyGrant {
  readonly id: string;
  readonly name: string;
  readonly workspace_id: number;
  readonly environment: Environment;
  readonly revoked_at: Date | null;
  readonly allowed_origins: ReadonlyArray<string> | null;
  readonly created_at: Date;
}

/** A credential as it is issued; `digest` is the SHA-256 of the secret, `now` in epoch milliseconds. */
export interface NewCredential {
  readonly id: string;
  readonly environment: Environment;
  readonly name: string;
  readonly digest: Uint8Array;
  readonly now: number;
}

/** An SDK key as it is issued. */
export interface NewSdkKey extends NewCredential {
  readonly allowedOrigins: ReadonlyArray<string> | null;
}

/** An API token as it is issued; instants in epoch milliseconds. */
export interface NewToken extends NewCredential {
  readonly abilities: ReadonlyArray<Ability>;
  readonly expiresAt: number | null;
}

/** A credential after its revocation; `isNew` is false if it had been revoked before. */
export interface Revocation<Credential> {
  readonly credential: Credential;
  readonly isNew: boolean;
}

/** Stores API tokens and SDK keys. */
export class TokensRepository extends Context.Service<
  TokensRepository,
  {
    readonly insertToken: (workspaceId: number, token: NewToken) => Effect.Effect<Token>;
    /** Newest first, revoked ones included. */
    readonly pageOfTokens: (
      workspaceId: number,
      position: PagePosition,
    ) => Effect.Effect<ReadonlyArray<Token>>;
    /** Null for an unknown id. Revoking twice keeps the first instant. */
    readonly revokeToken: (
      workspaceId: number,
      id: string,
      now: number,
    ) => Effect.Effect<Revocation<Token> | null>;
    readonly findToken: (digest: Uint8Array) => Effect.Effect<TokenGrant | null>;
    readonly findTokenById: (id: string) => Effect.Effect<TokenGrant | null>;
    /**
     * Refuses the commit with an `AccessEnd` (`CommitRefused`) if the access of the token has ended.
     * Otherwise nothing ends it before the end of the transaction.
     */
    readonly requireAccess: (need: AccessNeed) => Effect.Effect<void>;
    /** Sets `last_used_at`. */
    readonly touchToken: (id: string, now: number) => Effect.Effect<void>;
    readonly insertSdkKey: (workspaceId: number, key: NewSdkKey) => Effect.Effect<SdkKey>;
    /** Newest first, revoked ones included. */
    readonly pageOfSdkKeys: (
      workspaceId: number,
      environment: Environment,
      position: PagePosition,
    ) => Effect.Effect<ReadonlyArray<SdkKey>>;
    /** Null for an unknown id. Revoking twice keeps the first instant. */
    readonly revokeSdkKey: (
      workspaceId: number,
      environment: Environment,
      id: string,
      now: number,
    ) => Effect.Effect<Revocation<SdkKey> | null>;
    readonly findSdkKey: (digest: Uint8Array) => Effect.Effect<SdkKeyGrant | null>;
    /** Sets `last_used_at`. */
    readonly touchSdkKey: (id: string, now: number) => Effect.Effect<void>;
  }
>()("waypost/access/TokensRepository") {}
