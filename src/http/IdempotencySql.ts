import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { instant } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";

/** A change that a client named, so that it happens once. */
export interface IdempotentRequest {
  readonly tenant: Tenant;
  readonly path: string;
  readonly key: string;
}

/** An answer as it was first given. */
export interface StoredResponse {
  readonly status: number;
  readonly content_type: string | null;
  readonly body: Uint8Array;
}

/** Every statement on idempotent responses. */
export class IdempotencySql extends Context.Service<IdempotencySql>()("waypost/http/IdempotencySql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    return {
      find: ({ key, path, tenant }: IdempotentRequest, since: number) =>
        Effect.orDie(sql<StoredResponse>`
          SELECT status, content_type, body FROM idempotent_response
          WHERE workspace_id = ${tenant.workspaceId} AND environment = ${tenant.environment}
            AND path = ${path} AND key = ${key} AND created_at > ${instant(since)}`),

      /** Holds the change until the end of the transaction, or tells at once that another request does. */
      tryLock: ({ key, path, tenant }: IdempotentRequest) =>
        Effect.orDie(sql<{ held: boolean }>`
          SELECT pg_try_advisory_xact_lock(hashtextextended(
            ${JSON.stringify(["idempotency", tenant.workspaceId, tenant.environment, path, key])}, 0)) AS held`),

      /** Replaces an answer that has outlived its 24 hours. */
      store: ({ key, path, tenant }: IdempotentRequest, response: StoredResponse, now: number) =>
        Effect.orDie(sql`
          INSERT INTO idempotent_response
            (workspace_id, environment, path, key, status, content_type, body, created_at)
          VALUES (${tenant.workspaceId}, ${tenant.environment}, ${path}, ${key}, ${response.status},
            ${response.content_type}, ${response.body}, ${instant(now)})
          ON CONFLICT (workspace_id, environment, path, key) DO UPDATE SET
            status = EXCLUDED.status, content_type = EXCLUDED.content_type, body = EXCLUDED.body,
            created_at = EXCLUDED.created_at`),

      /** Drops at most `most` answers given before `before`; tells how many. */
      prune: (before: number, most: number) =>
        Effect.orDie(
          sql<{ path: string }>`
          DELETE FROM idempotent_response WHERE ctid = ANY (ARRAY (
            SELECT ctid FROM idempotent_response WHERE created_at <= ${instant(before)} LIMIT ${most}))
          RETURNING path`,
        ).pipe(Effect.map((rows) => rows.length)),
    };
  }),
}) {
  static readonly layer = Layer.effect(IdempotencySql, IdempotencySql.make);
}
