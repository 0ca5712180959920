import { Effect } from "effect";
import { arrayOf, epochMillis, instant, jsonb, unnested } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import { columnValues, run } from "../../../database/Statements.ts";
import { sameTenant, tenantIs } from "../../../database/TenantColumns.ts";
import { recordedSendsSql } from "../../../outbox/RecordedEventsSql.ts";
import type { TimeZoneName } from "../../../time/TimeZone.ts";
import type { TenantKey } from "../../../workspaces/Environment.ts";
import type { LocalPart, LocalState } from "./LocalParts.ts";
import type { SendingCampaign, StartedSend } from "../Send.ts";
import type { DueSend, SendRules } from "../SendStartsSql.ts";

/** A send at a local time whose next part may be due, locked until the transaction ends. */
export interface LocalSend extends Omit<DueSend, "dueAt" | "occurrence">, LocalState {}

/** A part to store: one that runs gets a source id. */
export interface StoredPart extends LocalPart {
  readonly id: string;
}

/** A send that has ended with its last part. */
export interface EndedLocalSend extends SendingCampaign {
  readonly id: string;
  readonly status: "done" | "skipped" | "missed";
}

/** Statements on sends at local times and their parts. Bound: 1 send's zones, or 500 sends. */
export class LocalSendsSql extends SqlService<LocalSendsSql>("waypost/sending/LocalSendsSql")((sql) => {
  const isOpen = sql`s.local_at IS NOT NULL AND s.status IN ('scheduled', 'running')`;
  const sendIs = (send: LocalSend) => sql`${tenantIs("s", send)} AND s.id = ${send.id}`;

  return {
    /** Campaigns whose sends may have a part that is due, ordered as those of `SendStartsSql`. */
    dueCampaigns: (now: number, limit: number, except: ReadonlyArray<string>) =>
      Effect.orDie(sql<SendingCampaign>`
        SELECT s.workspace_id AS "workspaceId", s.environment, s.campaign_id AS "campaignId"
        FROM send s
        WHERE ${isOpen} AND s.next_at <= ${instant(now)}
          AND s.campaign_id <> ALL (${arrayOf("uuid", except)})
        GROUP BY 1, 2, 3
        ORDER BY row_number() OVER (PARTITION BY s.workspace_id ORDER BY min(s.next_at)), min(s.next_at)
        LIMIT ${limit}`),

    /** When the next part may be due; null for none. */
    nextDue: (now: number) =>
      sql<{ readonly at: number | null }>`
        SELECT ${epochMillis("min(s.next_at)")} AS at FROM send s
        WHERE ${isOpen} AND s.next_at > ${instant(now)}`.pipe(
        Effect.map(([next]) => next?.at ?? null),
        Effect.orDie,
      ),

    /** Locks the sends of a campaign that may have a part that is due, the older notification first. */
    lockDue: (campaign: SendingCampaign, now: number) =>
      Effect.orDie(sql<LocalSend>`
        SELECT s.workspace_id AS "workspaceId", s.environment, s.campaign_id AS "campaignId", s.id,
          s.local_at AS "localAt", s.late, ${epochMillis("s.planned_at")} AS "plannedAt",
          ${epochMillis("s.next_at")} AS "nextAt", s.status = 'running' AS "hasRun",
          n.content_key AS "contentKey", k.type AS "contentType", k.template IS NOT NULL AS templated
        FROM send s
        JOIN campaign_notification a ON ${sameTenant("a", "s")} AND a.campaign_id = s.campaign_id
          AND a.notification_id = s.notification_id
        JOIN notification n ON ${sameTenant("n", "s")} AND n.id = s.notification_id
        JOIN content k ON ${sameTenant("k", "n")} AND k.key = n.content_key
        WHERE ${tenantIs("s", campaign)} AND s.campaign_id = ${campaign.campaignId}
          AND ${isOpen} AND s.next_at <= ${instant(now)}
        ORDER BY a.attached_at, a.id
        FOR UPDATE OF s`),

    /** The time zones of registered devices, each once, by one index lookup each; null for none. */
    zones: (tenant: TenantKey) =>
      columnValues(sql<{ readonly zone: TimeZoneName | null }>`
        WITH RECURSIVE zone AS (
          (SELECT d.timezone FROM device d
            WHERE ${tenantIs("d", tenant)} AND d.unregistered_at IS NULL AND d.timezone IS NOT NULL
            ORDER BY d.timezone LIMIT 1)
          UNION ALL
          SELECT (SELECT d.timezone FROM device d
            WHERE ${tenantIs("d", tenant)} AND d.unregistered_at IS NULL AND d.timezone > z.timezone
            ORDER BY d.timezone LIMIT 1)
          FROM zone z WHERE z.timezone IS NOT NULL
        )
        SELECT timezone AS zone FROM zone WHERE timezone IS NOT NULL
        UNION ALL
        SELECT NULL WHERE EXISTS (SELECT FROM device d
          WHERE ${tenantIs("d", tenant)} AND d.unregistered_at IS NULL AND d.timezone IS NULL)`),

    /** Source ids of the parts of a send that have run or run. */
    sourceIds: (send: LocalSend) =>
      columnValues(sql<{ readonly sourceId: bigint }>`
        SELECT s.source_id AS "sourceId" FROM send s
        WHERE ${tenantIs("s", send)} AND s.parent_id = ${send.id} AND s.source_id IS NOT NULL`),

    /** Stores parts that are due, in order. Returns those that run, with their source ids, in order. */
    addParts: (
      send: LocalSend,
      parts: ReadonlyArray<StoredPart>,
      { capBy, experiment, paced, quiet, window }: SendRules,
      now: number,
    ) =>
      Effect.orDie(sql<StartedSend & { readonly ord: number }>`
        WITH numbered AS MATERIALIZED (
          SELECT o.*, CASE WHEN o.status = 'running' THEN nextval('delivery_source_id') END AS source_id
          FROM (
            SELECT * FROM ${unnested("u", parts, {
              id: ["uuid", ({ id }) => id],
              due_at: ["timestamptz", ({ dueAt }) => dueAt],
              status: ["text", ({ status }) => status],
            })} ORDER BY ord
          ) AS o
        ), added AS (
          INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
            notification_key, due_at, status, parent_id, source_id, content_key, content_type, templated,
            cap_count, cap_since, cap_by, quiet_hours, paced, experiment, started_at, finished_at)
          SELECT s.workspace_id, s.environment, n.id, s.campaign_id, s.campaign_key, s.notification_id,
            s.notification_key, n.due_at, n.status, s.id, n.source_id,
            CASE WHEN n.source_id IS NOT NULL THEN ${send.contentKey}::int END,
            CASE WHEN n.source_id IS NOT NULL THEN ${send.contentType}::text END, ${send.templated},
            CASE WHEN n.source_id IS NOT NULL THEN ${window?.count ?? null}::int END,
            CASE WHEN n.source_id IS NOT NULL THEN ${instant(window?.since ?? null)} END,
            ${capBy}::text, CASE WHEN n.source_id IS NOT NULL THEN ${jsonb(quiet)} END,
            n.source_id IS NOT NULL AND ${paced}, n.source_id IS NOT NULL AND ${experiment},
            CASE WHEN n.source_id IS NOT NULL THEN ${instant(now)} END,
            CASE WHEN n.source_id IS NULL THEN ${instant(now)} END
          FROM numbered n JOIN send s ON ${sendIs(send)}
        )
        SELECT n.ord::int AS ord, ${send.workspaceId}::int AS "workspaceId",
          ${send.environment}::text AS environment, n.source_id AS "sourceId"
        FROM numbered n WHERE n.source_id IS NOT NULL ORDER BY n.ord`),

    /** Marks a send as running, with the content of its first part. */
    start: (send: LocalSend, now: number) =>
      run(sql`
        UPDATE send s SET status = 'running', started_at = ${instant(now)},
          source_id = nextval('delivery_source_id'), content_key = ${send.contentKey},
          content_type = ${send.contentType}
        WHERE ${sendIs(send)}`),

    /** Stores when a worker checks for parts next, and when the first part that is to come is due. */
    check: (send: LocalSend, nextAt: number | null, dueAt: number | null) =>
      run(sql`
        UPDATE send s SET next_at = ${instant(nextAt)},
          due_at = COALESCE(${instant(dueAt)}, s.due_at)
        WHERE ${sendIs(send)}`),

    /** Ends a send and its running parts as skipped. */
    skip: (send: LocalSend, now: number) =>
      run(sql`
        WITH ended AS (
          UPDATE send s SET status = 'skipped', finished_at = ${instant(now)}
          WHERE ${tenantIs("s", send)} AND (s.id = ${send.id} OR s.parent_id = ${send.id})
            AND s.status IN ('scheduled', 'running')
          RETURNING s.*
        ), ${recordedSendsSql(sql, "ended", now)}, dropped AS (
          DELETE FROM send_batch b USING ended s
          WHERE ${sameTenant("b", "s")} AND b.source_id = s.source_id
        )
        SELECT FROM ended`),

    /** Ends the sends without parts to come and without a running part. */
    finish: (now: number) =>
      Effect.orDie(sql<EndedLocalSend>`
        WITH part AS (
          SELECT p.*, g.* FROM send p
          CROSS JOIN LATERAL (
            SELECT bool_or(c.status = 'running') AS is_running, bool_or(c.status = 'missed') AS is_missed,
              min(c.due_at) AS first_at, sum(c.targeted)::int AS all_targeted,
              sum(c.delivered)::int AS all_delivered, sum(c.failed)::int AS all_failed,
              sum(c.held)::int AS all_held, sum(c.dropped)::int AS all_dropped
            FROM send c WHERE ${sameTenant("c", "p")} AND c.parent_id = p.id
          ) AS g
          WHERE p.local_at IS NOT NULL AND p.status IN ('scheduled', 'running') AND p.next_at IS NULL
            AND g.is_running IS NOT TRUE LIMIT 500
        ), ended AS (
          UPDATE send s SET finished_at = ${instant(now)},
            status = CASE WHEN s.status = 'running' THEN 'done'
              WHEN part.is_missed THEN 'missed' ELSE 'skipped' END,
            due_at = COALESCE(part.first_at, s.due_at), targeted = COALESCE(part.all_targeted, 0),
            delivered = COALESCE(part.all_delivered, 0), failed = COALESCE(part.all_failed, 0),
            held = COALESCE(part.all_held, 0), dropped = COALESCE(part.all_dropped, 0)
          FROM part
          WHERE ${sameTenant("s", "part")} AND s.id = part.id AND s.status = part.status
            AND s.next_at IS NULL
          RETURNING s.*
        ), ${recordedSendsSql(sql, "ended", now)}
        SELECT s.workspace_id AS "workspaceId", s.environment, s.campaign_id AS "campaignId", s.id, s.status
        FROM ended s`),
  };
}) {}
