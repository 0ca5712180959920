import { Effect, Layer } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { arrayOf, instant, onlyRow, utc } from "../database/Rows.ts";
import { firstRow, run } from "../database/Statements.ts";
import type { SdkKey, Token } from "./Token.ts";
import { type Revocation, type SdkKeyGrant, type TokenGrant, TokensRepository } from "./TokensRepository.ts";

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
export const tokensSql = Layer.effect(
  TokensRepository,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const keyColumns = sql`id, name, environment, ${utc("revoked_at")} AS revoked_at,
      ${utc("last_used_at")} AS last_used_at, ${utc("created_at")} AS created_at`;
    const sdkKeyColumns = sql`${keyColumns}, allowed_origins`;
    const columns = sql`${keyColumns}, abilities, ${utc("expires_at")} AS expires_at`;

    return TokensRepository.of({
      insertToken: (workspaceId, token) =>
        onlyRow(sql<Token>`
          INSERT INTO api_token
            (id, workspace_id, environment, name, digest, abilities, expires_at, created_at)
          VALUES (${token.id}, ${workspaceId}, ${token.environment}, ${token.name}, ${token.digest},
            ${arrayOf("text", token.abilities)}, ${instant(token.expiresAt)}, ${instant(token.now)})
          RETURNING ${columns}`),

      pageOfTokens: (workspaceId, { before, limit }) =>
        Effect.orDie(sql<Token>`
          SELECT ${columns} FROM api_token
          WHERE workspace_id = ${workspaceId} AND (${before}::uuid IS NULL OR id < ${before})
          ORDER BY id DESC LIMIT ${limit}`),

      revokeToken: (workspaceId, id, now) =>
        revocation(
          sql<RevokedRow<Token>>`
            WITH before AS (
              SELECT id AS found, revoked_at IS NULL AS is_new FROM api_token
              WHERE workspace_id = ${workspaceId} AND id = ${id} FOR NO KEY UPDATE
            )
            UPDATE api_token SET revoked_at = COALESCE(revoked_at, ${instant(now)})
            FROM before WHERE id = found RETURNING ${columns}, is_new`,
        ),

      findToken: (digest) =>
        firstRow(sql<TokenGrant>`
          SELECT id, name, workspace_id, environment, abilities, expires_at, revoked_at
          FROM api_token WHERE digest = ${digest}`),

      findTokenById: (id) =>
        firstRow(sql<TokenGrant>`
          SELECT id, name, workspace_id, environment, abilities, expires_at, revoked_at
          FROM api_token WHERE id = ${id}`),

      // A subquery with locks is evaluated by itself, so the reason is that of the locked rows.
      requireAccess: ({ needsApi, now, tokenId }) =>
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

      touchToken: (id, now) => run(sql`UPDATE api_token SET last_used_at = ${instant(now)} WHERE id = ${id}`),

      insertSdkKey: (workspaceId, key) =>
        onlyRow(sql<SdkKey>`
          INSERT INTO sdk_key (id, workspace_id, environment, name, digest, allowed_origins, created_at)
          VALUES (${key.id}, ${workspaceId}, ${key.environment}, ${key.name}, ${key.digest},
            ${key.allowedOrigins && arrayOf("text", key.allowedOrigins)}, ${instant(key.now)})
          RETURNING ${sdkKeyColumns}`),

      pageOfSdkKeys: (workspaceId, environment, { before, limit }) =>
        Effect.orDie(sql<SdkKey>`
          SELECT ${sdkKeyColumns} FROM sdk_key
          WHERE workspace_id = ${workspaceId} AND environment = ${environment}
            AND (${before}::uuid IS NULL OR id < ${before})
          ORDER BY id DESC LIMIT ${limit}`),

      revokeSdkKey: (workspaceId, environment, id, now) =>
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

      findSdkKey: (digest) =>
        firstRow(sql<SdkKeyGrant>`
          SELECT id, name, workspace_id, environment, revoked_at, allowed_origins, created_at
          FROM sdk_key WHERE digest = ${digest}`),

      touchSdkKey: (id, now) => run(sql`UPDATE sdk_key SET last_used_at = ${instant(now)} WHERE id = ${id}`),
    });
  }),
);
