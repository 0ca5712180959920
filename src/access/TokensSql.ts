import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant, onlyRow, utc } from "../database/Rows.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Environment } from "../workspaces/Environment.ts";
import type { Ability } from "./Ability.ts";
import type { SdkKey, Token } from "./Token.ts";

/** What a token opens, with what decides whether it still does. */
export interface TokenGrant {
  readonly id: string;
  readonly name: string;
  readonly workspace_id: number;
  readonly environment: Environment;
  readonly abilities: ReadonlyArray<Ability>;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/** What an SDK key opens. */
export interface SdkKeyGrant {
  readonly id: string;
  readonly name: string;
  readonly workspace_id: number;
  readonly environment: Environment;
  readonly revoked_at: Date | null;
}

/** Every statement on API tokens and SDK keys. */
export class TokensSql extends Context.Service<TokensSql>()("waypost/access/TokensSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const columns = sql`id, name, environment, abilities, ${utc("expires_at")} AS expires_at,
      ${utc("revoked_at")} AS revoked_at, ${utc("last_used_at")} AS last_used_at, ${utc("created_at")} AS created_at`;
    const keyColumns = sql`id, name, environment, ${utc("revoked_at")} AS revoked_at,
      ${utc("last_used_at")} AS last_used_at, ${utc("created_at")} AS created_at`;

    return {
      insertToken: (
        workspaceId: number,
        token: {
          readonly id: string;
          readonly environment: Environment;
          readonly name: string;
          readonly digest: Uint8Array;
          readonly abilities: ReadonlyArray<Ability>;
          readonly expiresAt: number | null;
          readonly now: number;
        },
      ) =>
        onlyRow(sql<Token>`
          INSERT INTO api_token (id, workspace_id, environment, name, digest, abilities, expires_at, created_at)
          VALUES (${token.id}, ${workspaceId}, ${token.environment}, ${token.name}, ${token.digest},
            ${arrayOf("text", token.abilities)}, ${instant(token.expiresAt)}, ${instant(token.now)})
          RETURNING ${columns}`),

      pageOfTokens: (workspaceId: number, position: PagePosition) =>
        Effect.orDie(sql<Token>`
          SELECT ${columns} FROM api_token
          WHERE workspace_id = ${workspaceId}
            AND (${position.before}::uuid IS NULL OR id < ${position.before})
          ORDER BY id DESC LIMIT ${position.limit}`),

      /** Revoking twice keeps the first instant. */
      revokeToken: (workspaceId: number, id: string, now: number) =>
        Effect.orDie(sql<{ id: string }>`
          UPDATE api_token SET revoked_at = COALESCE(revoked_at, ${instant(now)})
          WHERE workspace_id = ${workspaceId} AND id = ${id} RETURNING id`),

      findToken: (digest: Uint8Array) =>
        Effect.orDie(sql<TokenGrant>`
          SELECT id, name, workspace_id, environment, abilities, expires_at, revoked_at
          FROM api_token WHERE digest = ${digest}`),

      touchToken: (id: string, now: number) =>
        Effect.orDie(sql`UPDATE api_token SET last_used_at = ${instant(now)} WHERE id = ${id}`),

      insertSdkKey: (
        workspaceId: number,
        environment: Environment,
        key: {
          readonly id: string;
          readonly name: string;
          readonly digest: Uint8Array;
          readonly now: number;
        },
      ) =>
        onlyRow(sql<SdkKey>`
          INSERT INTO sdk_key (id, workspace_id, environment, name, digest, created_at)
          VALUES (${key.id}, ${workspaceId}, ${environment}, ${key.name}, ${key.digest}, ${instant(key.now)})
          RETURNING ${keyColumns}`),

      pageOfSdkKeys: (workspaceId: number, environment: Environment, position: PagePosition) =>
        Effect.orDie(sql<SdkKey>`
          SELECT ${keyColumns} FROM sdk_key
          WHERE workspace_id = ${workspaceId} AND environment = ${environment}
            AND (${position.before}::uuid IS NULL OR id < ${position.before})
          ORDER BY id DESC LIMIT ${position.limit}`),

      revokeSdkKey: (workspaceId: number, environment: Environment, id: string, now: number) =>
        Effect.orDie(sql<{ id: string }>`
          UPDATE sdk_key SET revoked_at = COALESCE(revoked_at, ${instant(now)})
          WHERE workspace_id = ${workspaceId} AND environment = ${environment} AND id = ${id} RETURNING id`),

      findSdkKey: (digest: Uint8Array) =>
        Effect.orDie(sql<SdkKeyGrant>`
          SELECT id, name, workspace_id, environment, revoked_at FROM sdk_key WHERE digest = ${digest}`),

      touchSdkKey: (id: string, now: number) =>
        Effect.orDie(sql`UPDATE sdk_key SET last_used_at = ${instant(now)} WHERE id = ${id}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(TokensSql, TokensSql.make);
}
