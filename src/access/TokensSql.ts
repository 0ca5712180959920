import type { Revocation, SdkKey, Token } from "./Token.ts";
import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { arrayOf, instant, onlyRow, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { firstRow, run } from "../database/Statements.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Environment } from "../workspaces/Environment.ts";
import type { Ability } from "./Ability.ts";

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
export interface SdkKeyGrant extends Omit<TokenGrant, "abilities" | "expires_at"> {
  readonly allowed_origins: ReadonlyArray<string> | null;
  readonly created_at: Date;
}

/** A credential as it is issued; `digest` is the SHA-256 of the secret, `now` in epoch milliseconds. */
interface NewCredential {
  readonly id: string;
  readonly environment: Environment;
  readonly name: string;
  readonly digest: Uint8Array;
  readonly now: number;
}

type RevokedRow<Credential> = Credential & { readonly is_new: boolean };

const revocation = <Credential>(
  statement: Statement.Statement<RevokedRow<Credential>>,
): Effect.Effect<Revocation<Omit<RevokedRow<Credential>, "is_new">> | null> =>
  Effect.map(firstRow(statement), (row) => {
    if (row === null) return null;
    const { is_new: isNew, ...credential } = row;
    return { credential, isNew };
  });

/** Every statement on API tokens and SDK keys. Bound: 1 row, or a page of 101. */
export class TokensSql extends SqlService<TokensSql>("waypost/access/TokensSql")((sql) => {
  const keyColumns = sql`id, name, environment, ${utc("revoked_at")} AS revoked_at,
    ${utc("last_used_at")} AS last_used_at, ${utc("created_at")} AS created_at`;
  const sdkKeyColumns = sql`${keyColumns}, allowed_origins`;
  const grantColumns = sql.literal("id, name, workspace_id, environment, abilities, expires_at, revoked_at");
  const columns = sql`${keyColumns}, abilities, ${utc("expires_at")} AS expires_at`;

  return {
    insertToken: (
      workspaceId: number,
      token: NewCredential & Pick<TokenGrant, "abilities"> & { readonly expiresAt: number | null },
    ) =>
      onlyRow(sql<Token>`
        INSERT INTO api_token
          (id, workspace_id, environment, name, digest, abilities, expires_at, created_at)
        VALUES (${token.id}, ${workspaceId}, ${token.environment}, ${token.name}, ${token.digest},
          ${arrayOf("text", token.abilities)}, ${instant(token.expiresAt)}, ${instant(token.now)})
        RETURNING ${columns}`),

    /** Newest first, revoked ones included. */
    pageOfTokens: (workspaceId: number, { before, limit }: PagePosition) =>
      Effect.orDie(sql<Token>`
        SELECT ${columns} FROM api_token
        WHERE workspace_id = ${workspaceId} AND (${before}::uuid IS NULL OR id < ${before})
        ORDER BY id DESC LIMIT ${limit}`),

    /** Null for an unknown id. Revoking twice keeps the first instant. */
    revokeToken: (workspaceId: number, id: string, now: number) =>
      revocation(
        sql<RevokedRow<Token>>`
          WITH before AS (
            SELECT id AS found, revoked_at IS NULL AS is_new FROM api_token
            WHERE workspace_id = ${workspaceId} AND id = ${id} FOR NO KEY UPDATE
          )
          UPDATE api_token SET revoked_at = COALESCE(revoked_at, ${instant(now)})
          FROM before WHERE id = found RETURNING ${columns}, is_new`,
      ),

    findToken: (digest: Uint8Array) =>
      firstRow(sql<TokenGrant>`SELECT ${grantColumns} FROM api_token WHERE digest = ${digest}`),

    findTokenById: (id: string) =>
      firstRow(sql<TokenGrant>`SELECT ${grantColumns} FROM api_token WHERE id = ${id}`),

    /**
     * Refuses the commit with an `AccessEnd` (`CommitRefused`) if the access of the token has ended.
     * Otherwise nothing ends it before the end of the transaction.
     */
    // A subquery with locks is evaluated by itself, so the reason is that of the locked rows.
    requireAccess: ({ needsApi, now, tokenId }: AccessNeed) =>
      run(sql`
        SELECT refuse_commit(reason) FROM (
          SELECT CASE
            WHEN a.id IS NULL OR a.revoked_at IS NOT NULL THEN 'revoked'
            WHEN a.expires_at <= ${instant(now)} THEN 'expired'
            WHEN a.deletion_scheduled_at IS NOT NULL THEN 'paused'
            WHEN ${needsApi} AND NOT a.platform_api_enabled THEN 'disabled'
          END AS reason
          FROM (SELECT) AS request LEFT JOIN (
            SELECT t.id, t.revoked_at, t.expires_at, w.deletion_scheduled_at, w.platform_api_enabled
            FROM api_token t JOIN workspace w ON w.id = t.workspace_id
            WHERE t.id = ${tokenId} FOR SHARE OF t, w) AS a ON true) AS checked
        WHERE reason IS NOT NULL`),

    /** Sets `last_used_at`. */
    touchToken: (id: string, now: number) =>
      run(sql`UPDATE api_token SET last_used_at = ${instant(now)} WHERE id = ${id}`),

    insertSdkKey: (
      workspaceId: number,
      key: NewCredential & { readonly allowedOrigins: SdkKeyGrant["allowed_origins"] },
    ) =>
      onlyRow(sql<SdkKey>`
        INSERT INTO sdk_key (id, workspace_id, environment, name, digest, allowed_origins, created_at)
        VALUES (${key.id}, ${workspaceId}, ${key.environment}, ${key.name}, ${key.digest},
          ${key.allowedOrigins && arrayOf("text", key.allowedOrigins)}, ${instant(key.now)})
        RETURNING ${sdkKeyColumns}`),

    /** Newest first, revoked ones included. */
    pageOfSdkKeys: (workspaceId: number, environment: Environment, { before, limit }: PagePosition) =>
      Effect.orDie(sql<SdkKey>`
        SELECT ${sdkKeyColumns} FROM sdk_key
        WHERE workspace_id = ${workspaceId} AND environment = ${environment}
          AND (${before}::uuid IS NULL OR id < ${before})
        ORDER BY id DESC LIMIT ${limit}`),

    /** Null for an unknown id. Revoking twice keeps the first instant. */
    revokeSdkKey: (workspaceId: number, environment: Environment, id: string, now: number) =>
      revocation(
        sql<RevokedRow<SdkKey>>`
          WITH before AS (
            SELECT id AS found, revoked_at IS NULL AS is_new FROM sdk_key
            WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND id = ${id}
            FOR NO KEY UPDATE
          )
          UPDATE sdk_key SET revoked_at = COALESCE(revoked_at, ${instant(now)})
          FROM before WHERE id = found RETURNING ${sdkKeyColumns}, is_new`,
      ),

    findSdkKey: (digest: Uint8Array) =>
      firstRow(sql<SdkKeyGrant>`
        SELECT id, name, workspace_id, environment, revoked_at, allowed_origins, created_at
        FROM sdk_key WHERE digest = ${digest}`),

    /** Sets `last_used_at`. */
    touchSdkKey: (id: string, now: number) =>
      run(sql`UPDATE sdk_key SET last_used_at = ${instant(now)} WHERE id = ${id}`),
  };
}) {}
