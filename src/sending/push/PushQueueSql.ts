import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, asNumber, instant } from "../../database/Rows.ts";
import type { ContentMedia } from "../../media/MediaAddress.ts";
import type { PushProvider } from "./PushCredential.ts";
import type { TenantKey } from "./PushCredentialsSql.ts";
import type { PushContent } from "./PushPayload.ts";
import { pushColumns } from "./PushColumnsSql.ts";

/** The pushes of one environment to one push service. */
export interface QueuePartition extends TenantKey {
  readonly transport: PushProvider;
}

/** A push that was taken; the fence tells this taking from every other. Instants are epoch milliseconds. */
export interface TakenPush {
  readonly sourceId: bigint;
  readonly deviceKey: number;
  readonly fence: number;
  /** This one included. */
  readonly attempts: number;
  readonly firstAt: number;
  readonly createdAt: number;
  readonly campaignKey: number;
  readonly contentKey: number;
  /** The device's address as it is now, and which of its registrations it is of. */
  readonly address: unknown;
  readonly addressVersion: number;
  /** Somebody began to hand it over, and nobody knows what became of that. */
  readonly isUncertain: boolean;
  /** What stands in the way of handing it over. */
  readonly obstacle: "stopped" | "closing" | "unregistered" | "moved" | "gone" | "unapproved" | null;
}

/** The pushes that may be taken: those that were begun, and those that were not, with what is due at these instants. */
export interface TakingLimits {
  readonly begun: number;
  readonly fresh: number;
}

/** A content as statements give it. */
export interface ContentRow extends Omit<PushContent, "media"> {
  readonly contentKey: number;
  readonly campaignKey: number;
  readonly media: ContentMedia | null;
}

/** Every statement on pushes that are on their way. */
export class PushQueueSql extends Context.Service<PushQueueSql>()("waypost/sending/PushQueueSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const millis = (column: string) => asNumber(`extract(epoch FROM ${column}) * 1000`);
    const { deviceKeys, fences, sourceIds, tenantIs } = pushColumns(sql);

    return {
      /** Lanes with pushes that are due, those that wait longest first; jumps from lane to lane over the index. */
      duePartitions: (now: number, most: number) =>
        Effect.orDie(sql<QueuePartition>`
          WITH RECURSIVE partition AS (
            (SELECT q.workspace_id, q.environment, q.transport, q.due_at FROM push_queue q
              ORDER BY q.workspace_id, q.environment, q.transport, q.due_at LIMIT 1)
            UNION ALL
            SELECT n.* FROM partition l CROSS JOIN LATERAL (
              SELECT q.workspace_id, q.environment, q.transport, q.due_at FROM push_queue q
              WHERE (q.workspace_id, q.environment, q.transport) > (l.workspace_id, l.environment, l.transport)
              ORDER BY q.workspace_id, q.environment, q.transport, q.due_at LIMIT 1
            ) AS n
          )
          SELECT workspace_id AS "workspaceId", environment, transport FROM partition
          WHERE due_at <= ${instant(now)} ORDER BY due_at LIMIT ${most}`),

      /** How many pushes wait, counted up to a bound. */
      depth: (most: number) =>
        Effect.map(
          Effect.orDie(sql<{ readonly transport: PushProvider; readonly count: number }>`
            SELECT q.transport, count(*)::int AS count
            FROM (SELECT transport FROM push_queue LIMIT ${most}) AS q GROUP BY 1`),
          (rows) => new Map(rows.map(({ count, transport }) => [transport, count])),
        ),

      /**
       * Takes pushes of a lane that are due, for the length of a lease, each with what it takes to hand it over. Those that were begun go
       * before all that wait: what a dead process had under way is not to queue up again behind a large send.
       */
      take: (
        partition: QueuePartition,
        now: number,
        leaseMillis: number,
        most: number,
        due: TakingLimits = { begun: now, fresh: now },
      ) =>
        Effect.orDie(sql<TakenPush>`
          WITH begun AS (
            SELECT q.source_id, q.device_key FROM push_queue q
            WHERE ${tenantIs("q", partition)} AND q.transport = ${partition.transport} AND q.due_at <= ${instant(due.begun)} AND q.first_at IS NOT NULL
            ORDER BY q.due_at LIMIT ${most}
            FOR UPDATE SKIP LOCKED
          ), fresh AS (
            SELECT q.source_id, q.device_key FROM push_queue q
            WHERE ${tenantIs("q", partition)} AND q.transport = ${partition.transport} AND q.due_at <= ${instant(due.fresh)} AND q.first_at IS NULL
            ORDER BY q.due_at LIMIT ${most} - (SELECT count(*) FROM begun)
            FOR UPDATE SKIP LOCKED
          ), next AS (
            SELECT * FROM begun UNION ALL SELECT * FROM fresh
          ), taken AS (
            UPDATE push_queue q SET due_at = ${instant(now + leaseMillis)}, fence = q.fence + 1, attempts = q.attempts + 1,
              first_at = COALESCE(q.first_at, ${instant(now)})
            FROM next n
            WHERE ${tenantIs("q", partition)} AND q.source_id = n.source_id AND q.device_key = n.device_key
            RETURNING q.*
          )
          SELECT t.source_id AS "sourceId", t.device_key AS "deviceKey", t.fence, t.attempts::int AS attempts, ${millis("t.first_at")} AS "firstAt",
            ${millis("d.created_at")} AS "createdAt", d.campaign_key AS "campaignKey", d.content_key AS "contentKey", v.address,
            v.address_version AS "addressVersion", d.status = 'handed_over' AS "isUncertain",
            CASE WHEN s.status <> 'running' THEN 'stopped'
              WHEN w.deletion_scheduled_at IS NOT NULL THEN 'closing'
              WHEN v.unregistered_at IS NOT NULL THEN 'unregistered'
              WHEN v.transport <> t.transport THEN 'moved'
              WHEN v.address_gone_at IS NOT NULL THEN 'gone'
              WHEN NOT v.approved AND t.environment = 'sandbox' THEN 'unapproved' END AS obstacle
          FROM taken t
          JOIN workspace w ON w.id = t.workspace_id
          JOIN delivery d ON ${tenantIs("d", partition)} AND d.source_id = t.source_id AND d.device_key = t.device_key
          JOIN device v ON ${tenantIs("v", partition)} AND v.key = t.device_key
          LEFT JOIN send s ON ${tenantIs("s", partition)} AND s.source_id = t.source_id`),

      /**
       * Holds taken pushes for longer, but for those that another has taken since. One that is being settled is not waited for. Gives those
       * that are held.
       */
      renew: (
        partition: QueuePartition,
        pushes: ReadonlyArray<TakenPush>,
        now: number,
        leaseMillis: number,
      ) =>
        Effect.orDie(sql<Pick<TakenPush, "sourceId" | "deviceKey">>`
          WITH mine AS (
            SELECT q.source_id, q.device_key FROM push_queue q
            JOIN unnest(${sourceIds(pushes)}, ${deviceKeys(pushes)}, ${fences(pushes)}) AS p (source_id, device_key, fence)
              ON p.source_id = q.source_id AND p.device_key = q.device_key AND p.fence = q.fence
            WHERE ${tenantIs("q", partition)}
            FOR UPDATE OF q SKIP LOCKED
          )
          UPDATE push_queue q SET due_at = ${instant(now + leaseMillis)} FROM mine m
          WHERE ${tenantIs("q", partition)} AND q.source_id = m.source_id AND q.device_key = m.device_key
          RETURNING q.source_id AS "sourceId", q.device_key AS "deviceKey"`),

      /** Puts pushes off that were taken in the same transaction and are not handed over: it does not count as an attempt. */
      putOff: (
        partition: QueuePartition,
        pushes: ReadonlyArray<{
          readonly sourceId: bigint;
          readonly deviceKey: number;
          readonly dueAt: number;
        }>,
      ) =>
        Effect.orDie(sql`
          UPDATE push_queue q SET due_at = p.due_at, attempts = q.attempts - 1,
            first_at = CASE WHEN q.attempts > 1 THEN q.first_at END
          FROM unnest(${sourceIds(pushes)}, ${deviceKeys(pushes)}, ${arrayOf(
            "timestamptz",
            pushes.map(({ dueAt }) => dueAt),
          )}) AS p (source_id, device_key, due_at)
          WHERE ${tenantIs("q", partition)} AND q.source_id = p.source_id AND q.device_key = p.device_key`),

      /** Writes down that these are about to be handed over. */
      recordAttempts: (partition: QueuePartition, pushes: ReadonlyArray<TakenPush>) =>
        Effect.orDie(sql`
          UPDATE delivery d SET status = 'handed_over', attempts = p.attempts
          FROM unnest(${sourceIds(pushes)}, ${deviceKeys(pushes)}, ${arrayOf(
            "int4",
            pushes.map(({ attempts }) => attempts),
          )}) AS p (source_id, device_key, attempts)
          WHERE ${tenantIs("d", partition)} AND d.source_id = p.source_id AND d.device_key = p.device_key`),

      /** What pushes of these contents and campaigns say. */
      contents: (
        partition: QueuePartition,
        pairs: ReadonlyArray<{ readonly contentKey: number; readonly campaignKey: number }>,
      ) =>
        Effect.orDie(sql<ContentRow>`
          SELECT c.key AS "contentKey", p.campaign_key AS "campaignKey", COALESCE(k.id, g.id) AS campaign_id, c.notification_id, c.type,
            c.headline, c.body, c.cta_label, c.cta_url,
            CASE WHEN c.media_asset_id IS NOT NULL THEN
              jsonb_build_object('id', c.media_asset_id, 'type', c.media_kind, 'key', m.key) END AS media
          FROM unnest(${arrayOf(
            "int4",
            pairs.map(({ contentKey }) => contentKey),
          )}, ${arrayOf(
            "int4",
            pairs.map(({ campaignKey }) => campaignKey),
          )}) AS p (content_key, campaign_key)
          JOIN content c ON ${tenantIs("c", partition)} AND c.key = p.content_key
          LEFT JOIN media_file m ON ${tenantIs("m", partition)} AND m.id = c.media_asset_id
          LEFT JOIN campaign k ON ${tenantIs("k", partition)} AND k.key = p.campaign_key
          LEFT JOIN deleted_campaign g ON ${tenantIs("g", partition)} AND g.key = p.campaign_key`),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushQueueSql, PushQueueSql.make);
}
