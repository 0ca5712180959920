import { Effect, Fiber, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { instant, onlyRow } from "../database/Rows.ts";
import { firstRow, rowCount, run } from "../database/Statements.ts";
import {
  IdempotencyRepository,
  type IdempotentRequest,
  type StoredResponse,
} from "./IdempotencyRepository.ts";

/** Every statement on idempotent responses. */
export const idempotencySql = Layer.effect(
  IdempotencyRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const find = ({ key, path, tenant }: IdempotentRequest, since: number) =>
      firstRow(sql<StoredResponse>`
        SELECT status, content_type, body, sealed, author FROM idempotent_response
        WHERE workspace_id = ${tenant.workspaceId} AND environment = ${tenant.environment}
          AND path = ${path} AND key = ${key} AND created_at > ${instant(since)}`);

    const tryLock = ({ key, path, tenant }: IdempotentRequest) =>
      Effect.map(
        onlyRow(sql<{ readonly isLocked: boolean }>`
          SELECT pg_try_advisory_xact_lock(hashtextextended(
            ${JSON.stringify(["idempotency", tenant.workspaceId, tenant.environment, path, key])}, 0))
            AS "isLocked"`),
        ({ isLocked }) => isLocked,
      );

    return IdempotencyRepository.of({
      // Two statements, in this order: one alone would read the response as of before it had the lock.
      claim: Effect.fnUntraced(function* (request, since) {
        const locking = yield* Effect.forkChild(tryLock(request), { startImmediately: true });
        const stored = yield* find(request, since);
        return { isLocked: yield* Fiber.join(locking), stored };
      }),

      store: ({ key, path, tenant }, response, now) =>
        run(sql`
          INSERT INTO idempotent_response
            (workspace_id, environment, path, key, status, content_type, body, sealed, author, created_at)
          VALUES (${tenant.workspaceId}, ${tenant.environment}, ${path}, ${key}, ${response.status},
            ${response.content_type}, ${response.body}, ${response.sealed}, ${response.author},
            ${instant(now)})
          ON CONFLICT (workspace_id, environment, path, key) DO UPDATE SET
            status = EXCLUDED.status, content_type = EXCLUDED.content_type, body = EXCLUDED.body,
            sealed = EXCLUDED.sealed, author = EXCLUDED.author, created_at = EXCLUDED.created_at`),

      prune: (before, limit) =>
        rowCount(sql`
          DELETE FROM idempotent_response WHERE ctid = ANY (ARRAY (
            SELECT ctid FROM idempotent_response WHERE created_at <= ${instant(before)} LIMIT ${limit}))
          RETURNING path`),
    });
  }),
);
