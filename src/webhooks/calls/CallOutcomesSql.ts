import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { epochMillis, instant, unnested } from "../../database/Rows.ts";
import { anyRow, run } from "../../database/Statements.ts";
import { sameTenant, tenantColumns, tenantIs } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";

/** How a taken call is settled. */
export interface CallSettlement extends TenantKey {
  readonly webhookId: string;
  readonly id: string;
  readonly fence: number;
  readonly verdict: "done" | "failed" | "given_up";
  /** When a failed call is due again, in epoch milliseconds. */
  readonly dueAt: number | null;
}

/** An attempt to store. Instants are epoch milliseconds. */
export interface AttemptRow extends TenantKey {
  readonly webhookId: string;
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly attempt: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly createdAt: number;
  readonly nextAttemptAt: number | null;
}

/** The results of a webhook, summed up. Instants are epoch milliseconds. */
export interface WebhookNews extends TenantKey {
  readonly webhookId: string;
  readonly lastAttemptAt: number;
  readonly hasSucceeded: boolean;
  /** The first failure after the last success; null for none. */
  readonly failedAt: number | null;
}

/** Statements that store the results of calls. Bound: 500 results. */
export const callOutcomesSql = Effect.map(SqlClient.SqlClient, (sql) => {
  const webhookColumns = {
    ...tenantColumns,
    webhook_id: ["uuid", ({ webhookId }: { readonly webhookId: string }) => webhookId],
  } as const;

  return {
    /** Settles calls whose fencing token is still valid, each once. */
    settle: (settlements: ReadonlyArray<CallSettlement>, now: number) =>
      run(sql`
            WITH o AS (
              SELECT * FROM ${unnested("o", settlements, {
                ...webhookColumns,
                id: ["uuid", ({ id }: CallSettlement) => id],
                fence: ["int4", ({ fence }) => fence],
                verdict: ["text", ({ verdict }) => verdict],
                due_at: ["timestamptz", ({ dueAt }) => dueAt],
              })}
            ), done AS (
              DELETE FROM webhook_call c USING o
              WHERE ${sameTenant("c", "o")} AND c.webhook_id = o.webhook_id AND c.id = o.id
                AND c.fence = o.fence AND o.verdict = 'done'
            )
            UPDATE webhook_call c SET attempts = c.attempts + 1, fence = c.fence + 1,
              due_at = COALESCE(o.due_at, c.due_at),
              given_up_at = CASE WHEN o.verdict = 'given_up' THEN ${instant(now)} END
            FROM o
            WHERE ${sameTenant("c", "o")} AND c.webhook_id = o.webhook_id AND c.id = o.id
              AND c.fence = o.fence AND o.verdict <> 'done'`),

    /** Stores attempts that are not stored yet. */
    insertAttempts: (attempts: ReadonlyArray<AttemptRow>) =>
      run(sql`
            INSERT INTO webhook_attempt (workspace_id, environment, webhook_id, id, event_id, event_type,
              attempt, status_code, error, duration_ms, created_at, next_attempt_at)
            SELECT n.workspace_id, n.environment, n.webhook_id, n.id, n.event_id, n.event_type,
              n.attempt::smallint, n.status_code, n.error, n.duration_ms, n.created_at, n.next_attempt_at
            FROM ${unnested("n", attempts, {
              ...webhookColumns,
              id: ["uuid", ({ id }: AttemptRow) => id],
              event_id: ["uuid", ({ eventId }) => eventId],
              event_type: ["text", ({ eventType }) => eventType],
              attempt: ["int4", ({ attempt }) => attempt],
              status_code: ["int4", ({ statusCode }) => statusCode],
              error: ["text", ({ error }) => error],
              duration_ms: ["int4", ({ durationMs }) => durationMs],
              created_at: ["timestamptz", ({ createdAt }) => createdAt],
              next_attempt_at: ["timestamptz", ({ nextAttemptAt }) => nextAttemptAt],
            })}
            ON CONFLICT DO NOTHING`),

    /**
     * Stores with webhooks when they were called last, to the second, and since when they fail. Returns
     * since when each changed one fails.
     */
    noteResults: (news: ReadonlyArray<WebhookNews>) =>
      Effect.orDie(sql<{ readonly webhookId: string; readonly failingSince: number | null }>`
            UPDATE webhook w SET last_attempt_at = GREATEST(w.last_attempt_at, n.last_attempt_at),
              failing_since =
                CASE WHEN n.has_succeeded THEN n.failed_at ELSE COALESCE(w.failing_since, n.failed_at) END
            FROM (
              SELECT * FROM ${unnested("n", news, {
                ...webhookColumns,
                last_attempt_at: ["timestamptz", ({ lastAttemptAt }: WebhookNews) => lastAttemptAt],
                has_succeeded: ["bool", ({ hasSucceeded }) => hasSucceeded],
                failed_at: ["timestamptz", ({ failedAt }) => failedAt],
              })} ORDER BY n.workspace_id, n.environment, n.webhook_id
            ) AS n
            WHERE ${sameTenant("w", "n")} AND w.id = n.webhook_id AND (n.failed_at IS NOT NULL
              OR w.failing_since IS NOT NULL OR w.last_attempt_at IS NULL
              OR date_trunc('second', w.last_attempt_at) < date_trunc('second', n.last_attempt_at))
            RETURNING w.id AS "webhookId", ${epochMillis("w.failing_since")} AS "failingSince"`),

    /** Disables an active webhook; false if it is not active. Needs the tenant's lock. */
    disable: (tenant: TenantKey, webhookId: string, now: number) =>
      anyRow(sql`
            UPDATE webhook w SET status = 'disabled', disabled_at = ${instant(now)},
              updated_at = ${instant(now)}
            WHERE ${tenantIs("w", tenant)} AND w.id = ${webhookId} AND w.status = 'active' RETURNING w.id`),

    /** Locks a tenant until the end of the transaction. */
    lockTenant: (tenant: TenantKey) =>
      run(sql`SELECT FROM tenant t WHERE ${tenantIs("t", tenant)} FOR NO KEY UPDATE`),
  };
});
