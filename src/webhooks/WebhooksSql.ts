import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import {
  columnAssignments,
  columnNames,
  columnParameters,
  type Columns,
  columnsOfRow,
} from "../database/TableColumns.ts";
import { epochMillis, instant, utc } from "../database/Rows.ts";
import { anyRow, firstRow, onlyCount, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { Webhook, WebhookAttempt, WebhookStatus } from "./Webhook.ts";

/** The values of a webhook that a client writes. */
export type WebhookValues = Pick<Webhook, "url" | "events" | "description" | "batch">;

const valueColumns = {
  url: "text",
  events: "text[]",
  description: "text",
  batch: "bool",
} as const satisfies Columns<WebhookValues>;

/**
 * The sealed secrets of a webhook. `previousSecret` has those that were replaced, the last of which signs
 * until `previousUntil` (epoch milliseconds).
 */
export interface SealedSecrets {
  readonly secret: Uint8Array;
  readonly previousSecret: Uint8Array | null;
  readonly previousUntil: number | null;
}

/** Statements on webhooks and their attempts. Bound: 20 webhooks, or a page of 101. */
export const webhooksSql = Effect.map(SqlClient.SqlClient, (sql) => {
  const columns = sql`w.id, ${columnsOfRow(valueColumns, "w")}, w.status,
      ${utc("w.created_at")} AS created_at, ${utc("w.updated_at")} AS updated_at,
      ${utc("w.disabled_at")} AS disabled_at, ${utc("w.last_attempt_at")} AS last_attempt_at`;

  return {
    /** Newest first. */
    page: (tenant: TenantKey, position: PagePosition) =>
      Effect.orDie(sql<Webhook>`
          SELECT ${columns} FROM webhook w
          WHERE ${tenantIs("w", tenant)} AND (${position.before}::uuid IS NULL OR w.id < ${position.before})
          ORDER BY w.id DESC LIMIT ${position.limit}`),

    find: (tenant: TenantKey, id: string) =>
      firstRow(
        sql<Webhook>`SELECT ${columns} FROM webhook w WHERE ${tenantIs("w", tenant)} AND w.id = ${id}`,
      ),

    count: (tenant: TenantKey) =>
      onlyCount(sql<{ readonly count: number }>`
          SELECT count(*)::int AS count FROM webhook w WHERE ${tenantIs("w", tenant)}`),

    insert: (tenant: TenantKey, id: string, values: WebhookValues, secret: Uint8Array, now: number) =>
      run(sql`
          INSERT INTO webhook (workspace_id, environment, id, status, secret, created_at, updated_at,
            ${columnNames(valueColumns)})
          VALUES (${tenant.workspaceId}, ${tenant.environment}, ${id}, 'active', ${secret}, ${instant(now)},
            ${instant(now)}, ${columnParameters(valueColumns, values)})`),

    update: (tenant: TenantKey, id: string, values: WebhookValues, now: number) =>
      run(sql`
          UPDATE webhook w SET ${columnAssignments(valueColumns, values)}, updated_at = ${instant(now)}
          WHERE ${tenantIs("w", tenant)} AND w.id = ${id}`),

    /**
     * Changes the status; false if the webhook has it already. Becoming active starts a new count of
     * failures.
     */
    setStatus: (tenant: TenantKey, id: string, status: WebhookStatus, now: number) =>
      anyRow(sql`
          UPDATE webhook w SET status = ${status}, updated_at = ${instant(now)},
            disabled_at = CASE WHEN ${status} = 'disabled' THEN ${instant(now)} END,
            failing_since = CASE WHEN ${status} = 'disabled' THEN w.failing_since END
          WHERE ${tenantIs("w", tenant)} AND w.id = ${id} AND w.status <> ${status} RETURNING w.id`),

    replaceSecrets: (tenant: TenantKey, id: string, secrets: SealedSecrets, now: number) =>
      run(sql`
          UPDATE webhook w SET secret = ${secrets.secret}, previous_secret = ${secrets.previousSecret},
            previous_until = ${instant(secrets.previousUntil)}, updated_at = ${instant(now)}
          WHERE ${tenantIs("w", tenant)} AND w.id = ${id}`),

    secrets: (tenant: TenantKey, id: string) =>
      firstRow(sql<SealedSecrets>`
          SELECT w.secret, w.previous_secret AS "previousSecret",
            ${epochMillis("w.previous_until")} AS "previousUntil"
          FROM webhook w WHERE ${tenantIs("w", tenant)} AND w.id = ${id}`),

    /** Deletes a webhook. A job deletes its events, calls and attempts. */
    delete: (tenant: TenantKey, id: string) =>
      run(sql`DELETE FROM webhook w WHERE ${tenantIs("w", tenant)} AND w.id = ${id}`),

    /** Stores with the tenant which event types its active webhooks listen to. Needs the tenant's lock. */
    refreshListeners: (tenant: TenantKey) =>
      run(sql`
          UPDATE tenant t SET webhook_events = ARRAY (
            SELECT DISTINCT e.type FROM webhook w CROSS JOIN LATERAL unnest(w.events) AS e (type)
            WHERE ${tenantIs("w", tenant)} AND w.status = 'active' ORDER BY 1)
          WHERE ${tenantIs("t", tenant)}`),

    /** The attempts of a webhook, newest first. */
    attempts: (tenant: TenantKey, id: string, position: PagePosition) =>
      Effect.orDie(sql<WebhookAttempt>`
          SELECT a.id, a.event_id, a.event_type, a.attempt::int AS attempt, a.status_code, a.error,
            a.duration_ms, ${utc("a.created_at")} AS created_at,
            ${utc("a.next_attempt_at")} AS next_attempt_at
          FROM webhook_attempt a
          WHERE ${tenantIs("a", tenant)} AND a.webhook_id = ${id}
            AND (${position.before}::uuid IS NULL OR a.id < ${position.before})
          ORDER BY a.id DESC LIMIT ${position.limit}`),
  };
});
