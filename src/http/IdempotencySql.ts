import { Effect, Fiber } from "effect";
import { instant } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { firstRow, onlyValue, rowCount, run } from "../database/Statements.ts";
import type { Tenant } from "../workspaces/Workspace.ts";

/** A request with an Idempotency-Key. Its scope is workspace, environment, path and key (contract J1). */
export interface IdempotentRequest {
  readonly tenant: Tenant;
  /** Without the query string. */
  readonly path: string;
  readonly key: string;
  /** The token, session or operator key that sends the request. */
  readonly author: string;
}

/** The response to the first request. It is sealed, and has the author of the request. */
export interface StoredResponse {
  readonly status: number;
  readonly content_type: string | null;
  /** The body that an older version stored; null for a sealed one. */
  readonly body: Uint8Array | null;
  readonly sealed: Uint8Array | null;
  readonly author: string | null;
}

/** Every statement on idempotent responses. */
export class IdempotencySql extends SqlService<IdempotencySql>("waypost/http/IdempotencySql")((sql) => {
  const find = ({ key, path, tenant }: IdempotentRequest, since: number) =>
    firstRow(sql<StoredResponse>`
      SELECT status, content_type, body, sealed, author FROM idempotent_response
      WHERE workspace_id = ${tenant.workspaceId} AND environment = ${tenant.environment}
        AND path = ${path} AND key = ${key} AND created_at > ${instant(since)}`);

  const tryLock = ({ key, path, tenant }: IdempotentRequest) =>
    onlyValue(sql<{ readonly isLocked: boolean }>`
      SELECT pg_try_advisory_xact_lock(hashtextextended(
        ${JSON.stringify(["idempotency", tenant.workspaceId, tenant.environment, path, key])}, 0))
        AS "isLocked"`);

  return {
    /**
     * Locks the request until the end of the transaction; `isLocked` is false if another transaction holds
     * the lock. Then finds the response that was stored after `since`, in any case. Both take one round trip.
     */
    // Two statements, in this order: one alone would read the response as of before it had the lock.
    claim: Effect.fnUntraced(function* (request: IdempotentRequest, since: number) {
      const locking = yield* Effect.forkChild(tryLock(request), { startImmediately: true });
      const stored = yield* find(request, since);
      return { isLocked: yield* Fiber.join(locking), stored };
    }),

    /** Stores the response, over an older one of the same request. */
    store: ({ key, path, tenant }: IdempotentRequest, response: StoredResponse, now: number) =>
      run(sql`
        INSERT INTO idempotent_response
          (workspace_id, environment, path, key, status, content_type, body, sealed, author, created_at)
        VALUES (${tenant.workspaceId}, ${tenant.environment}, ${path}, ${key}, ${response.status},
          ${response.content_type}, ${response.body}, ${response.sealed}, ${response.author},
          ${instant(now)})
        ON CONFLICT (workspace_id, environment, path, key) DO UPDATE SET
          status = EXCLUDED.status, content_type = EXCLUDED.content_type, body = EXCLUDED.body,
          sealed = EXCLUDED.sealed, author = EXCLUDED.author, created_at = EXCLUDED.created_at`),

    /** Deletes at most `limit` responses that were stored at `before` or earlier; gives how many. */
    prune: (before: number, limit: number) =>
      rowCount(sql`
        DELETE FROM idempotent_response WHERE ctid = ANY (ARRAY (
          SELECT ctid FROM idempotent_response WHERE created_at <= ${instant(before)} LIMIT ${limit}))
        RETURNING path`),
  };
}) {}
