import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { arrayOf, epochMillis, instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { overWorkspaces } from "../../database/WorkspaceGroups.ts";
import type { ContentMedia } from "../../media/MediaAddress.ts";
import { sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import { heldPushColumns, pushKeyColumns } from "./PushColumnsSql.ts";
import type { Obstacle } from "../../devices/Obstacle.ts";
import { deviceObstacleSql } from "../../devices/ObstacleSql.ts";
import { Transport } from "../../devices/PushAddress.ts";
import type { TextSource } from "../../notifications/templates/MessageTexts.ts";
import { deliveredMediaSql, mediaIdSql, variantSql } from "../../notifications/variants/VariantSql.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { KeptRecipient } from "../rendering/KeptFacts.ts";
import type { CutField, PushContent } from "./PushPayload.ts";
import type { CampaignKey, ContentKey, DeviceKey, LocationKey } from "../../wire/Ids.ts";

/**
 * The queued pushes of one environment to one provider; of the transport `inbox`, messages to be rendered.
 * Workers take them partition by partition.
 */
export interface QueuePartition extends TenantKey {
  readonly transport: Transport;
}

/** A leased push. Instants are epoch milliseconds. */
export interface TakenPush extends KeptRecipient {
  readonly sourceId: bigint;
  readonly deviceKey: DeviceKey;
  /** The fencing token: it grows with every lease. */
  readonly fence: number;
  /** Includes the current one. */
  readonly attempts: number;
  readonly firstAt: number;
  /** Of a delivery that quiet hours have held, when they ended; of a paced one, its first attempt. */
  readonly createdAt: number;
  readonly campaignKey: CampaignKey;
  readonly contentKey: ContentKey;
  /** The variant whose words it has; null for those of the content. */
  readonly words: string | null;
  readonly locationKey: LocationKey | null;
  /** The device's current address, and the version of its registration. */
  readonly address: unknown;
  readonly addressVersion: number;
  /** An earlier worker started an attempt whose outcome is unknown. */
  readonly isUncertain: boolean;
  /** Why it cannot be sent. */
  readonly obstacle: Obstacle | null;
  /** It counts for a pace until its first answer (contract T5). */
  readonly hasPermit: boolean;
  /** Its send has a pace, and this first attempt has no permit. */
  readonly mustWait: boolean;
  /** Whether its device has another transport since. */
  readonly hasMoved: boolean;
}

/** Names a content of pushes within a partition. */
export type PushContentKey = Pick<TakenPush, "contentKey" | "campaignKey" | "words">;

/** When a push must be due to be taken: one attempted before, and a new one. Epoch milliseconds. */
export interface DueLimits {
  readonly attempted: number;
  readonly fresh: number;
}

/** The content of pushes, as statements return it. */
export interface ContentRow
  extends
    Omit<PushContent, "media" | "language">,
    Pick<TextSource, "template" | "translations" | "variantTexts"> {
  readonly contentKey: ContentKey;
  readonly campaignKey: CampaignKey;
  readonly words: string | null;
  readonly media: ContentMedia | null;
}

/** Statements on queued pushes. Bound: the pushes of 1 take (512), 64 partitions, or a count of 100,000. */
export class PushQueueSql extends SqlService<PushQueueSql>("waypost/sending/PushQueueSql")((sql) => {
  /** A loose index scan, one step per partition. */
  const partitionsByIndex = sql`
    WITH RECURSIVE partition AS (
      (SELECT q.workspace_id, q.environment, q.transport, q.due_at FROM push_queue q
        ORDER BY q.workspace_id, q.environment, q.transport, q.due_at LIMIT 1)
      UNION ALL
      SELECT n.* FROM partition l CROSS JOIN LATERAL (
        SELECT q.workspace_id, q.environment, q.transport, q.due_at FROM push_queue q
        WHERE (q.workspace_id, q.environment, q.transport)
          > (l.workspace_id, l.environment, l.transport)
        ORDER BY q.workspace_id, q.environment, q.transport, q.due_at LIMIT 1
      ) AS n
    )`;
  const firstOf = (transport: Transport) => sql`(
    SELECT q.transport, q.due_at FROM push_queue q
    WHERE ${sameTenant("q", "t")} AND q.transport = ${transport} ORDER BY q.due_at LIMIT 1)`;
  /**
   * There is no recursion over several nodes. Each finds the first push of each of its environments: every
   * one with devices has a `rollup_state` or a `device_delta`. The order of `any_push` enforces the index.
   */
  const partitionsByEnvironment = sql`
    WITH partition AS (
      SELECT t.workspace_id, t.environment, q.transport, q.due_at
      FROM (
        SELECT workspace_id, environment FROM rollup_state
        UNION SELECT workspace_id, environment FROM device_delta
      ) AS t
      CROSS JOIN LATERAL (
        SELECT q.due_at FROM push_queue q WHERE ${sameTenant("q", "t")}
        ORDER BY q.transport, q.due_at LIMIT 1
      ) AS any_push
      CROSS JOIN LATERAL (
        ${sql.join(" UNION ALL ", false)(Transport.literals.map(firstOf))}
      ) AS q
    )`;

  return {
    /** Partitions with due pushes, the longest due first; without those with the names in `paused`. */
    duePartitions: (now: number, paused: ReadonlyArray<string>, limit: number) => {
      const due = (partitions: Statement.Fragment) => () => sql<QueuePartition>`
        ${partitions}
        SELECT workspace_id AS "workspaceId", environment, transport FROM partition
        WHERE due_at <= ${instant(now)}
          AND concat_ws('/', workspace_id, environment, transport) <> ALL (${arrayOf("text", paused)})
        ORDER BY due_at LIMIT ${limit}`;
      return overWorkspaces(sql, due(partitionsByIndex), due(partitionsByEnvironment));
    },

    /** The number of queued pushes by transport that wait for no permit, counted up to `limit` in all. */
    depth: (limit: number) =>
      Effect.map(
        Effect.orDie(sql<{ readonly transport: Transport; readonly count: number }>`
          SELECT q.transport, count(*)::int AS count
          FROM (SELECT transport FROM push_queue WHERE permit <> 1 LIMIT ${limit}) AS q GROUP BY 1`),
        (rows) => new Map(rows.map(({ count, transport }) => [transport, count])),
      ),

    /**
     * Leases due pushes of a partition, with all that an attempt needs. Pushes that were attempted before
     * go first: those of a dead worker must not queue again behind a large send.
     */
    take: (
      partition: QueuePartition,
      now: number,
      leaseMillis: number,
      limit: number,
      due: DueLimits = { attempted: now, fresh: now },
    ) =>
      Effect.orDie(sql<TakenPush>`
        WITH attempted AS (
          SELECT q.source_id, q.device_key FROM push_queue q
          WHERE ${tenantIs("q", partition)} AND q.transport = ${partition.transport}
            AND q.due_at <= ${instant(due.attempted)} AND q.first_at IS NOT NULL
          ORDER BY q.due_at LIMIT ${limit}
          FOR UPDATE SKIP LOCKED
        ), fresh AS (
          SELECT q.source_id, q.device_key FROM push_queue q
          WHERE ${tenantIs("q", partition)} AND q.transport = ${partition.transport}
            AND q.due_at <= ${instant(due.fresh)} AND q.first_at IS NULL
          ORDER BY q.due_at LIMIT ${limit} - (SELECT count(*) FROM attempted)
          FOR UPDATE SKIP LOCKED
        ), next AS (
          SELECT * FROM attempted UNION ALL SELECT * FROM fresh
        ), taken AS (
          UPDATE push_queue q SET due_at = ${instant(now + leaseMillis)}, fence = q.fence + 1,
            attempts = q.attempts + 1, first_at = COALESCE(q.first_at, ${instant(now)})
          FROM next n
          WHERE ${tenantIs("q", partition)} AND q.source_id = n.source_id AND q.device_key = n.device_key
          RETURNING q.*
        ), found AS MATERIALIZED (
            SELECT t.*, d.recipient, d.held_until, d.created_at, d.campaign_key, d.content_key,
              d.location_key, d.status, COALESCE(d.variant, d.winner) AS words,
              v.address, v.address_version, v.transport AS device_transport,
            ${deviceObstacleSql(sql, "v", sql`d.test`)} AS device_obstacle
          FROM taken t
          JOIN delivery d ON ${tenantIs("d", partition)} AND d.source_id = t.source_id
            AND d.device_key = t.device_key
          JOIN device v ON ${tenantIs("v", partition)} AND v.key = t.device_key
        )
        SELECT t.source_id AS "sourceId", t.device_key AS "deviceKey", t.fence, t.attempts::int AS attempts,
          ${epochMillis("t.first_at")} AS "firstAt",
          ${epochMillis(`CASE WHEN s.paced AND NOT t.held THEN t.first_at
            ELSE COALESCE(t.held_until, t.created_at) END`)} AS "createdAt",
          t.permit = 2 AS "hasPermit",
            COALESCE(s.paced AND t.permit = 0 AND t.attempts = 1 AND NOT t.held, false) AS "mustWait",
            t.recipient, ${epochMillis("t.created_at")} AS "madeAt",
          t.campaign_key AS "campaignKey", t.content_key AS "contentKey", t.words,
            t.location_key AS "locationKey", t.address,
          t.address_version AS "addressVersion", t.status = 'handed_over' AS "isUncertain",
          CASE WHEN s.status <> 'running' AND NOT t.held THEN 'stopped'
            WHEN w.deletion_scheduled_at IS NOT NULL THEN 'closing'
            ELSE t.device_obstacle END AS obstacle,
          t.device_transport <> t.transport AS "hasMoved"
        FROM found t
        JOIN workspace w ON w.id = t.workspace_id
        LEFT JOIN send s ON ${tenantIs("s", partition)} AND s.source_id = t.source_id`),

    /**
     * Extends leases. Returns the pushes whose lease is extended: not those that another worker has taken,
     * nor those that are locked because they are being settled.
     */
    renew: (partition: QueuePartition, pushes: ReadonlyArray<TakenPush>, now: number, leaseMillis: number) =>
      Effect.orDie(sql<Pick<TakenPush, "sourceId" | "deviceKey">>`
        WITH held AS (
          SELECT q.source_id, q.device_key FROM push_queue q
          JOIN ${unnested("p", pushes, heldPushColumns)}
            ON p.source_id = q.source_id AND p.device_key = q.device_key AND p.fence = q.fence
          WHERE ${tenantIs("q", partition)}
          FOR UPDATE OF q SKIP LOCKED
        )
        UPDATE push_queue q SET due_at = ${instant(now + leaseMillis)} FROM held h
        WHERE ${tenantIs("q", partition)} AND q.source_id = h.source_id AND q.device_key = h.device_key
        RETURNING q.source_id AS "sourceId", q.device_key AS "deviceKey"`),

    /** Records attempts that are about to start, with the names of the fields that are cut. */
    recordAttempts: (
      partition: QueuePartition,
      pushes: ReadonlyArray<TakenPush & { readonly cut?: ReadonlyArray<CutField> }>,
    ) =>
      Effect.orDie(sql`
        UPDATE delivery d SET status = 'handed_over', attempts = p.attempts, cut = p.cut
        FROM ${unnested("p", pushes, {
          ...pushKeyColumns,
          attempts: ["int4", ({ attempts }) => attempts],
          cut: ["jsonb", ({ cut = [] }) => (cut.length === 0 ? null : cut)],
        })}
        WHERE ${tenantIs("d", partition)} AND d.source_id = p.source_id AND d.device_key = p.device_key`),

    /** The contents of pushes by content, campaign and variant. */
    contents: (partition: QueuePartition, keys: ReadonlyArray<PushContentKey>) =>
      Effect.orDie(sql<ContentRow>`
        SELECT c.key AS "contentKey", p.campaign_key AS "campaignKey", COALESCE(k.id, g.id) AS campaign_id,
          c.notification_id, c.type, c.headline, c.body, c.cta_label, c.cta_url,
          c.template, c.translations, c.push, p.words, w.words AS "variantTexts",
          ${deliveredMediaSql("c", "w.words", "m")} AS media
        FROM ${unnested("p", keys, {
          content_key: ["int4", ({ contentKey }) => contentKey],
          campaign_key: ["int4", ({ campaignKey }) => campaignKey],
          words: ["text", ({ words }) => words],
        })}
        JOIN content c ON ${tenantIs("c", partition)} AND c.key = p.content_key
        CROSS JOIN LATERAL (SELECT ${variantSql("c.variants", "p.words")} AS words) AS w
        LEFT JOIN media_file m ON ${tenantIs("m", partition)} AND m.id = ${mediaIdSql("c", "w.words")}
        LEFT JOIN campaign k ON ${tenantIs("k", partition)} AND k.key = p.campaign_key
        LEFT JOIN deleted_campaign g ON ${tenantIs("g", partition)} AND g.key = p.campaign_key`),
  };
}) {}
