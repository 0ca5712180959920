import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { rowCursor } from "../database/RowCursor.ts";
import { utc } from "../database/Rows.ts";
import { firstRow } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { maxFailureReasons, type SendFailure, type SendResource } from "./SendResource.ts";

/** Filters of sends; undefined for all. The campaign is a UUID. */
export interface SendFilters {
  readonly campaign?: string | undefined;
  readonly status?: SendResource["status"] | undefined;
}

/** The statements that list and show sends. */
export class SendListSql extends Context.Service<SendListSql>()("waypost/sending/SendListSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const rows = sql`
      SELECT s.id, s.campaign_id, c.name AS campaign_name, s.notification_id, n.name AS notification_name,
        ${utc("s.due_at")} AS due_at, s.status, s.targeted, s.delivered, s.failed,
        s.held, s.dropped,
        ${utc("s.started_at")} AS started_at, ${utc("s.finished_at")} AS finished_at
      FROM send s
      LEFT JOIN campaign c ON c.workspace_id = s.workspace_id AND c.environment = s.environment
        AND c.id = s.campaign_id
      LEFT JOIN notification n ON n.workspace_id = s.workspace_id AND n.environment = s.environment
        AND n.id = s.notification_id`;
    const sends = (tenant: Tenant, before: string | null, filters: SendFilters) => {
      const { campaign = null, status = null } = filters;
      return sql`
          ${rows}
          WHERE s.workspace_id = ${tenant.workspaceId} AND s.environment = ${tenant.environment}
            AND (${before}::uuid IS NULL OR s.id < ${before})
            AND (${campaign}::uuid IS NULL OR s.campaign_id = ${campaign})
            AND (${status}::text IS NULL OR s.status = ${status})
          ORDER BY s.id DESC`;
    };

    return {
      /** Newest first by when they were scheduled. */
      page: (tenant: Tenant, { before, limit }: PagePosition, filters: SendFilters) =>
        Effect.orDie(sql<SendResource>`${sends(tenant, before, filters)} LIMIT ${limit}`),

      /** All of them, in the order of the pages; in batches. */
      all: (tenant: Tenant, filters: SendFilters) =>
        Effect.provideService(
          rowCursor<SendResource>(sends(tenant, null, filters)),
          SqlClient.SqlClient,
          sql,
        ),

      find: (tenant: Tenant, id: string) =>
        firstRow(sql<SendResource>`
          ${rows} WHERE ${tenantIs("s", tenant)} AND s.id = ${id}`),

      /** The failed deliveries of a send by reason, the most frequent first. */
      failures: ({ environment, workspaceId }: Tenant, id: string) =>
        Effect.orDie(sql<SendFailure>`
          SELECT coalesce(d.last_error, 'Unknown.') AS reason, count(*)::int AS deliveries
          FROM send s JOIN delivery d ON d.workspace_id = s.workspace_id
            AND d.environment = s.environment AND d.source_id = s.source_id
          WHERE s.workspace_id = ${workspaceId} AND s.environment = ${environment} AND s.id = ${id}
            AND d.status = 'failed'
          GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${maxFailureReasons}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendListSql, SendListSql.make);
}
