import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, asNumber, instant } from "../../database/Rows.ts";
import type { ContentMedia } from "../../media/MediaAddress.ts";
import type { PushService } from "./PushCredential.ts";
import type { TenantKey } from "./PushCredentialsSql.ts";
import type { PushContent } from "./PushPayload.ts";
import { pushColumns } from "./PushColumnsSql.ts";

/** The pushes of one environment to one push service. */
export interface Lane extends TenantKey {
  readonly transport: PushService;
}

/** A push that was taken; the fence tells this taking from every other. Instants are epoch milliseconds. */
export interface TakenPush {
  readonly origin: bigint;
  readonly deviceNo: number;
  readonly fence: number;
  /** This one included. */
  readonly attempts: number;
  readonly firstAt: number;
  readonly createdAt: number;
  readonly campaignNo: number;
  readonly contentNo: number;
  /** The device's address as it is now, and which of its registrations it is of. */
  readonly address: unknown;
  readonly addressNo: number;
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
  readonly contentNo: number;
  readonly campaignNo: number;
  readonly media: ContentMedia | null;
}

/** Every statement on pushes that are on their way. */
export class PushQueueSql extends Context.Service<PushQueueSql>()("waypost/sending/PushQueueSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const millis = (column: string) => asNumber(`extract(epoch FROM ${column}) * 1000`);
    const { deviceNos, fences, origins, tenantIs } = pushColumns(sql);

    return {
      /** Lanes with pushes that are due, those that wait longest first; jumps from lane to lane over the index. */
      dueLanes: (now: number, most: number) =>
        Effect.orDie(sql<Lane>`
          WITH RECURSIVE lane AS (
            (SELECT q.workspace_id, q.environment, q.transport, q.due_at FROM push_queue q
              ORDER BY q.workspace_id, q.environment, q.transport, q.due_at LIMIT 1)
            UNION ALL
            SELECT n.* FROM lane l CROSS JOIN LATERAL (
              SELECT q.workspace_id, q.environment, q.transport, q.due_at FROM push_queue q
              WHERE (q.workspace_id, q.environment, q.transport) > (l.workspace_id, l.environment, l.transport)
              ORDER BY q.workspace_id, q.environment, q.transport, q.due_at LIMIT 1
            ) AS n
          )
          SELECT workspace_id AS "workspaceId", environment, transport FROM lane
          WHERE due_at <= ${instant(now)} ORDER BY due_at LIMIT ${most}`),

      /** How many pushes wait, counted up to a bound. */
      depth: (most: number) =>
        Effect.map(
          Effect.orDie(sql<{ readonly transport: PushService; readonly count: number }>`
            SELECT q.transport, count(*)::int AS count
            FROM (SELECT transport FROM push_queue LIMIT ${most}) AS q GROUP BY 1`),
          (rows) => new Map(rows.map(({ count, transport }) => [transport, count])),
        ),

      /**
       * Takes pushes of a lane that are due, for the length of a lease, each with what it takes to hand it over. Those that were begun go
       * before all that wait: what a dead process had under way is not to queue up again behind a large send.
       */
      take: (
        lane: Lane,
        now: number,
        leaseMillis: number,
        most: number,
        due: TakingLimits = { begun: now, fresh: now },
      ) =>
        Effect.orDie(sql<TakenPush>`
          WITH begun AS (
            SELECT q.origin, q.device_no FROM push_queue q
            WHERE ${tenantIs("q", lane)} AND q.transport = ${lane.transport} AND q.due_at <= ${instant(due.begun)} AND q.first_at IS NOT NULL
            ORDER BY q.due_at LIMIT ${most}
            FOR UPDATE SKIP LOCKED
          ), fresh AS (
            SELECT q.origin, q.device_no FROM push_queue q
            WHERE ${tenantIs("q", lane)} AND q.transport = ${lane.transport} AND q.due_at <= ${instant(due.fresh)} AND q.first_at IS NULL
            ORDER BY q.due_at LIMIT ${most} - (SELECT count(*) FROM begun)
            FOR UPDATE SKIP LOCKED
          ), next AS (
            SELECT * FROM begun UNION ALL SELECT * FROM fresh
          ), taken AS (
            UPDATE push_queue q SET due_at = ${instant(now + leaseMillis)}, fence = q.fence + 1, attempts = q.attempts + 1,
              first_at = COALESCE(q.first_at, ${instant(now)})
            FROM next n
            WHERE ${tenantIs("q", lane)} AND q.origin = n.origin AND q.device_no = n.device_no
            RETURNING q.*
          )
          SELECT t.origin, t.device_no AS "deviceNo", t.fence, t.attempts::int AS attempts, ${millis("t.first_at")} AS "firstAt",
            ${millis("d.created_at")} AS "createdAt", d.campaign_no AS "campaignNo", d.content_no AS "contentNo", v.address,
            v.address_no AS "addressNo", d.status = 'handed_over' AS "isUncertain",
            CASE WHEN s.status <> 'running' THEN 'stopped'
              WHEN w.deletion_scheduled_at IS NOT NULL THEN 'closing'
              WHEN v.unregistered_at IS NOT NULL THEN 'unregistered'
              WHEN v.transport <> t.transport THEN 'moved'
              WHEN v.address_gone_at IS NOT NULL THEN 'gone'
              WHEN NOT v.approved AND t.environment = 'sandbox' THEN 'unapproved' END AS obstacle
          FROM taken t
          JOIN workspace w ON w.id = t.workspace_id
          JOIN delivery d ON ${tenantIs("d", lane)} AND d.origin = t.origin AND d.device_no = t.device_no
          JOIN device v ON ${tenantIs("v", lane)} AND v.no = t.device_no
          LEFT JOIN send s ON ${tenantIs("s", lane)} AND s.origin = t.origin`),

      /**
       * Holds taken pushes for longer, but for those that another has taken since. One that is being settled is not waited for. Gives those
       * that are held.
       */
      renew: (lane: Lane, pushes: ReadonlyArray<TakenPush>, now: number, leaseMillis: number) =>
        Effect.orDie(sql<Pick<TakenPush, "origin" | "deviceNo">>`
          WITH mine AS (
            SELECT q.origin, q.device_no FROM push_queue q
            JOIN unnest(${origins(pushes)}, ${deviceNos(pushes)}, ${fences(pushes)}) AS p (origin, device_no, fence)
              ON p.origin = q.origin AND p.device_no = q.device_no AND p.fence = q.fence
            WHERE ${tenantIs("q", lane)}
            FOR UPDATE OF q SKIP LOCKED
          )
          UPDATE push_queue q SET due_at = ${instant(now + leaseMillis)} FROM mine m
          WHERE ${tenantIs("q", lane)} AND q.origin = m.origin AND q.device_no = m.device_no
          RETURNING q.origin, q.device_no AS "deviceNo"`),

      /** Puts pushes off that were taken in the same transaction and are not handed over: it does not count as an attempt. */
      putOff: (
        lane: Lane,
        pushes: ReadonlyArray<{
          readonly origin: bigint;
          readonly deviceNo: number;
          readonly dueAt: number;
        }>,
      ) =>
        Effect.orDie(sql`
          UPDATE push_queue q SET due_at = p.due_at, attempts = q.attempts - 1,
            first_at = CASE WHEN q.attempts > 1 THEN q.first_at END
          FROM unnest(${origins(pushes)}, ${deviceNos(pushes)}, ${arrayOf(
            "timestamptz",
            pushes.map(({ dueAt }) => dueAt),
          )}) AS p (origin, device_no, due_at)
          WHERE ${tenantIs("q", lane)} AND q.origin = p.origin AND q.device_no = p.device_no`),

      /** Writes down that these are about to be handed over. */
      handOver: (lane: Lane, pushes: ReadonlyArray<TakenPush>) =>
        Effect.orDie(sql`
          UPDATE delivery d SET status = 'handed_over', attempts = p.attempts
          FROM unnest(${origins(pushes)}, ${deviceNos(pushes)}, ${arrayOf(
            "int4",
            pushes.map(({ attempts }) => attempts),
          )}) AS p (origin, device_no, attempts)
          WHERE ${tenantIs("d", lane)} AND d.origin = p.origin AND d.device_no = p.device_no`),

      /** What pushes of these contents and campaigns say. */
      contents: (
        lane: Lane,
        pairs: ReadonlyArray<{ readonly contentNo: number; readonly campaignNo: number }>,
      ) =>
        Effect.orDie(sql<ContentRow>`
          SELECT c.no AS "contentNo", p.campaign_no AS "campaignNo", COALESCE(k.id, g.id) AS campaign_id, c.notification_id, c.type,
            c.headline, c.body, c.cta_label, c.cta_url,
            CASE WHEN c.media_asset_id IS NOT NULL THEN
              jsonb_build_object('id', c.media_asset_id, 'type', c.media_kind, 'key', m.key) END AS media
          FROM unnest(${arrayOf(
            "int4",
            pairs.map(({ contentNo }) => contentNo),
          )}, ${arrayOf(
            "int4",
            pairs.map(({ campaignNo }) => campaignNo),
          )}) AS p (content_no, campaign_no)
          JOIN content c ON ${tenantIs("c", lane)} AND c.no = p.content_no
          LEFT JOIN media_file m ON ${tenantIs("m", lane)} AND m.id = c.media_asset_id
          LEFT JOIN campaign k ON ${tenantIs("k", lane)} AND k.no = p.campaign_no
          LEFT JOIN deleted_campaign g ON ${tenantIs("g", lane)} AND g.no = p.campaign_no`),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushQueueSql, PushQueueSql.make);
}
