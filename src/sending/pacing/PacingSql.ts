import { Effect } from "effect";
import { arrayOf, epochMillis, instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { onlyCount, run } from "../../database/Statements.ts";
import { sameTenant, tenantColumns, tenantIs } from "../../database/TenantColumns.ts";
import type { Transport } from "../../devices/PushAddress.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { CampaignKey } from "../../wire/Ids.ts";
import type { AnsweredPermits } from "./PaceLedgerSql.ts";
import type { HeldPermits, PacedSend } from "./Pace.ts";

/** Permits of a send that are taken after the answer, and when the last was. */
export interface UsedPermits {
  readonly sourceId: bigint;
  readonly campaignKey: CampaignKey | null;
  readonly permits: number;
  /** Epoch milliseconds; null if no worker has seen the answer. */
  readonly answeredAt: number | null;
}

/** Statements that give permits to the deliveries of paced sends. */
export class PacingSql extends SqlService<PacingSql>("waypost/sending/PacingSql")((sql) => ({
  // Bound: 1,000 sends of an environment, and what its limits give in a minute: 60,000 permits each.
  /**
   * The sends with a limit, and those that had one and may have deliveries that wait. Sends that began
   * without a limit are marked, 1,000 at a time, and limits that were removed are forgotten. Of an
   * environment the 1,000 that are due first; others wait until these end.
   */
  sends: Effect.orDie(sql<PacedSend>`
    WITH removed AS (
      DELETE FROM pace p WHERE NOT EXISTS (
        SELECT FROM workspace w
        WHERE w.id = p.workspace_id AND p.campaign_key = 0 AND w.max_per_minute IS NOT NULL
      ) AND NOT EXISTS (
        SELECT FROM campaign c
        WHERE ${sameTenant("c", "p")} AND c.key = p.campaign_key AND c.max_per_minute IS NOT NULL)
    ), found AS MATERIALIZED (
      SELECT s.*, s.status = 'running' AND w.deletion_scheduled_at IS NULL AS is_open,
        c.max_per_minute AS campaign_limit, w.max_per_minute AS workspace_limit
      FROM send s
      JOIN workspace w ON w.id = s.workspace_id
      LEFT JOIN campaign c ON ${sameTenant("c", "s")} AND c.id = s.campaign_id
      WHERE (s.status = 'running' OR s.paced) AND s.local_at IS NULL
        AND (s.paced OR c.max_per_minute IS NOT NULL OR w.max_per_minute IS NOT NULL)
    ), marked AS (
      UPDATE send s SET paced = true FROM (SELECT * FROM found WHERE NOT paced LIMIT 1000) AS f
      WHERE ${sameTenant("s", "f")} AND s.id = f.id
    ), placed AS (
      SELECT *, row_number() OVER (PARTITION BY workspace_id, environment ORDER BY due_at, id) AS rank
      FROM found
    )
    SELECT f.workspace_id AS "workspaceId", f.environment, f.source_id AS "sourceId", f.id,
      f.campaign_key AS "campaignKey", ${epochMillis("f.due_at")} AS "dueAt",
      ${epochMillis("f.started_at")} AS "startedAt", f.is_open AS "isOpen",
      f.campaign_limit AS "campaignLimit", f.workspace_limit AS "workspaceLimit"
    FROM placed f WHERE f.rank <= 1000 ORDER BY f.workspace_id, f.environment`),

  /** Locks limits of an environment in order, and gives when their next permits may be given. */
  lock: (tenant: TenantKey, campaignKeys: ReadonlyArray<number>, now: number) =>
    Effect.orDie(sql<{ readonly campaignKey: number; readonly nextAt: number; readonly isNew: boolean }>`
      INSERT INTO pace AS p (workspace_id, environment, campaign_key, next_at)
      SELECT ${tenant.workspaceId}::int, ${tenant.environment}::text, k.key, ${instant(now)}
      FROM unnest(${arrayOf("int4", campaignKeys)}) AS k (key) ORDER BY k.key
      ON CONFLICT (workspace_id, environment, campaign_key) DO UPDATE SET campaign_key = p.campaign_key
      RETURNING p.campaign_key AS "campaignKey", ${epochMillis("p.next_at")} AS "nextAt",
        p.xmax = 0 AS "isNew"`),

  /**
   * Deliveries of one campaign or of all that were sent since an instant, by the second of their answer.
   * Those in flight are answered by `until`.
   */
  sentSince: (tenant: TenantKey, campaignKey: number, since: number, until: number) => {
    const isOwn = sql`(${campaignKey}::int = 0 OR d.campaign_key = ${campaignKey})`;
    return Effect.orDie(sql<AnsweredPermits>`
      SELECT ${tenant.workspaceId}::int AS "workspaceId", ${tenant.environment}::text AS environment,
        r.source_id AS "sourceId", r.campaign_key AS "campaignKey", count(*)::int AS permits,
        ${epochMillis("r.at")} AS "answeredAt"
      FROM (
        SELECT d.source_id, CASE WHEN NOT d.test THEN d.campaign_key END AS campaign_key,
          date_trunc('second', d.settled_at) + interval '1 second' AS at
        FROM delivery d
        WHERE ${tenantIs("d", tenant)} AND ${isOwn} AND d.settled_at > ${instant(since)}
          AND (d.attempts > 0 OR d.status = 'delivered')
        UNION ALL
        SELECT d.source_id, CASE WHEN NOT d.test THEN d.campaign_key END, ${instant(until)}
        FROM push_queue q
        JOIN delivery d ON ${tenantIs("d", tenant)} AND d.source_id = q.source_id
          AND d.device_key = q.device_key AND ${isOwn}
        WHERE ${tenantIs("q", tenant)} AND q.first_at > ${instant(since)} AND q.permit = 0
      ) AS r
      GROUP BY 3, 4, 6`);
  },

  /** Forgets the recorded permits of one campaign or of all. */
  forget: (tenant: TenantKey, campaignKey: number) =>
    run(sql`
      DELETE FROM pace_ledger l
      WHERE ${tenantIs("l", tenant)} AND (${campaignKey}::int = 0 OR l.campaign_key = ${campaignKey})`),

  /** The pushes that hold permits. Read before `used`, so that an answer between counts twice, not never. */
  held: (tenant: TenantKey) =>
    Effect.orDie(sql<HeldPermits>`
      SELECT q.source_id AS "sourceId", q.transport, count(*)::int AS permits,
        count(*) FILTER (WHERE q.first_at IS NULL)::int AS untaken
      FROM push_queue q WHERE ${tenantIs("q", tenant)} AND q.permit = 2 GROUP BY 1, 2`),

  /** The permits that are taken after the answer: those since an instant. */
  used: (tenant: TenantKey, since: number) =>
    Effect.orDie(sql<UsedPermits>`
      SELECT l.source_id AS "sourceId", l.campaign_key AS "campaignKey", sum(l.permits)::int AS permits,
        ${epochMillis("max(l.answered_at)")} AS "answeredAt"
      FROM pace_ledger l
      WHERE ${tenantIs("l", tenant)} AND (l.answered_at IS NULL OR l.answered_at > ${instant(since)})
      GROUP BY 1, 2`),

  /**
   * Gives permits to pushes of a send that wait, and makes them due before all others; without a permit only
   * due. Returns their number.
   */
  release: (
    { sourceId, ...tenant }: PacedSend,
    transports: ReadonlyArray<Transport>,
    permits: number,
    isPermit: boolean,
  ) =>
    onlyCount(sql<{ readonly count: number }>`
      WITH next AS (
        SELECT q.source_id, q.device_key FROM push_queue q
        WHERE ${tenantIs("q", tenant)} AND q.permit = 1 AND q.source_id = ${sourceId}
          AND q.transport = ANY (${arrayOf("text", transports)})
        LIMIT ${permits} FOR UPDATE SKIP LOCKED
      ), released AS (
        UPDATE push_queue q SET due_at = ${instant(0)},
          permit = CASE WHEN ${isPermit}::boolean THEN 2 ELSE 0 END
        FROM next n
        WHERE ${tenantIs("q", tenant)} AND q.source_id = n.source_id AND q.device_key = n.device_key
        RETURNING q.device_key
      )
      SELECT count(*)::int AS count FROM released`),

  /** Stores when the next permits of limits may be given. */
  advance: (
    tenant: TenantKey,
    limits: ReadonlyArray<{ readonly campaignKey: number; readonly nextAt: number }>,
  ) =>
    run(sql`
      UPDATE pace p SET next_at = a.next_at
      FROM ${unnested("a", limits, {
        campaign_key: ["int4", ({ campaignKey }) => campaignKey],
        next_at: ["timestamptz", ({ nextAt }) => nextAt],
      })}
      WHERE ${tenantIs("p", tenant)} AND p.campaign_key = a.campaign_key`),

  /** Ends the pacing of stopped and finished sends. */
  end: (sends: ReadonlyArray<PacedSend>) =>
    run(sql`
      UPDATE send s SET paced = false
      FROM ${unnested("e", sends, { ...tenantColumns, id: ["uuid", ({ id }) => id] })}
      WHERE ${sameTenant("s", "e")} AND s.id = e.id AND s.status <> 'running'`),
})) {}
