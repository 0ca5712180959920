import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { rowCursor } from "../../database/RowCursor.ts";
import { epochMillis, utc } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { firstRow } from "../../database/Statements.ts";
import { sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { LocalState } from "./local/LocalParts.ts";
import { maxFailureReasons, type SendFailure, type SendResource } from "./SendResource.ts";

/** Filters of sends; undefined for all. The campaign is a UUID. */
export interface SendFilters {
  readonly campaign?: string | undefined;
  readonly status?: SendResource["status"] | undefined;
}

/** A send with its fixed parts, and what its parts to come follow from; null if none can come. */
export interface StoredSend extends Omit<SendResource, "estimated_finish_at"> {
  /** Of a running send with a pace: for how long it will run by that; null for others. */
  readonly millisLeft: number | null;
  readonly upcoming: (LocalState & { readonly campaignZone: TimeZoneName }) | null;
}

/** The statements that list and show sends. Bound: a page of 101. */
export class SendListSql extends SqlService<SendListSql>("waypost/sending/SendListSql")((sql) => {
  /** The deliveries of a send without an outcome, which quiet hours do not hold. */
  const leftSql = (send: string) =>
    sql.literal(`(${send}.targeted - ${send}.delivered - ${send}.failed - ${send}.held)`);
  const rows = sql`
    SELECT s.id, s.campaign_id, c.name AS campaign_name, s.notification_id, n.name AS notification_name,
      s.occurrence, ${utc("COALESCE(g.first_at, s.due_at)")} AS due_at, s.status,
      COALESCE(g.targeted, s.targeted) AS targeted, COALESCE(g.delivered, s.delivered) AS delivered,
      COALESCE(g.failed, s.failed) AS failed, COALESCE(g.held, s.held) AS held,
      COALESCE(g.dropped, s.dropped) AS dropped, ${utc("s.started_at")} AS started_at,
      ${utc("s.finished_at")} AS finished_at, LEAST(c.max_per_minute, w.max_per_minute) AS pace,
      CASE WHEN s.status = 'running' THEN GREATEST(
        COALESCE(g.targeted - g.delivered - g.failed - g.held, ${leftSql("s")}) * 60000.0 / c.max_per_minute,
        CASE WHEN w.max_per_minute IS NOT NULL THEN (
          SELECT sum(${leftSql("r")}) FROM send r
          WHERE ${sameTenant("r", "s")} AND r.status = 'running' AND r.local_at IS NULL
            AND ((r.due_at, r.id) <= (s.due_at, s.id) OR r.parent_id = s.id)
        ) * 60000.0 / w.max_per_minute END)::float8 END AS "millisLeft",
      CASE WHEN s.local_at IS NOT NULL THEN COALESCE(g.parts, '[]') END AS parts,
      CASE WHEN s.next_at IS NOT NULL AND s.status IN ('scheduled', 'running') THEN json_build_object(
        'localAt', s.local_at, 'late', s.late, 'hasRun', s.status = 'running', 'campaignZone', c.timezone,
        'plannedAt', ${epochMillis("s.planned_at")}, 'nextAt', ${epochMillis("s.next_at")}) END AS upcoming
    FROM send s
    JOIN workspace w ON w.id = s.workspace_id
    LEFT JOIN campaign c ON ${sameTenant("c", "s")} AND c.id = s.campaign_id
    LEFT JOIN notification n ON ${sameTenant("n", "s")} AND n.id = s.notification_id
    LEFT JOIN LATERAL (
      SELECT min(p.due_at) AS first_at, sum(p.targeted)::int AS targeted,
        sum(p.delivered)::int AS delivered, sum(p.failed)::int AS failed, sum(p.held)::int AS held,
        sum(p.dropped)::int AS dropped,
        jsonb_agg(jsonb_build_object('due_at', ${utc("p.due_at")}, 'targeted', p.targeted,
          'delivered', p.delivered, 'failed', p.failed, 'status', p.status) ORDER BY p.due_at) AS parts
      FROM send p WHERE ${sameTenant("p", "s")} AND p.parent_id = s.id
    ) AS g ON s.local_at IS NOT NULL`;
  const sends = (tenant: Tenant, before: string | null, filters: SendFilters) => {
    const { campaign = null, status = null } = filters;
    return sql`
        ${rows}
        WHERE ${tenantIs("s", tenant)} AND s.parent_id IS NULL
          AND (${before}::uuid IS NULL OR s.id < ${before})
          AND (${campaign}::uuid IS NULL OR s.campaign_id = ${campaign})
          AND (${status}::text IS NULL OR s.status = ${status})
        ORDER BY s.id DESC`;
  };

  return {
    /** Newest first by when they were scheduled. */
    page: (tenant: Tenant, { before, limit }: PagePosition, filters: SendFilters) =>
      Effect.orDie(sql<StoredSend>`/* page of sends */ ${sends(tenant, before, filters)} LIMIT ${limit}`),

    /** All of them, in the order of the pages; in batches. */
    all: (tenant: Tenant, filters: SendFilters) =>
      Effect.provideService(rowCursor<StoredSend>(sends(tenant, null, filters)), SqlClient.SqlClient, sql),

    find: (tenant: Tenant, id: string) =>
      firstRow(sql<StoredSend>`
        ${rows} WHERE ${tenantIs("s", tenant)} AND s.id = ${id} AND s.parent_id IS NULL`),

    /** The failed deliveries of a send by reason, the most frequent first. */
    failures: (tenant: Tenant, id: string) =>
      Effect.orDie(sql<SendFailure>`
        SELECT coalesce(d.last_error, 'Unknown.') AS reason, count(*)::int AS deliveries
        FROM send s JOIN delivery d ON ${sameTenant("d", "s")} AND d.source_id = s.source_id
        WHERE ${tenantIs("s", tenant)} AND (s.id = ${id} OR s.parent_id = ${id}) AND d.status = 'failed'
        GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${maxFailureReasons}`),
  };
}) {}
