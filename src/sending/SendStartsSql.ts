import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { epochMillis, instant, jsonb } from "../database/Rows.ts";
import type { Audience } from "../devices/SegmentRule.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import { recordedSendsSql } from "../outbox/RecordedEventsSql.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";
import type { CapWindow } from "./FrequencyCap.ts";
import type { SendingCampaign } from "./Send.ts";

/** A campaign that is locked while its sends start. Instants are epoch milliseconds. */
export interface HeldCampaign {
  /** The public id of its workspace. */
  readonly workspace: string;
  readonly paused: boolean;
  readonly timezone: TimeZoneName;
  readonly endsAt: number;
  readonly cap: FrequencyCap | null;
  readonly defaultCap: FrequencyCap | null;
  readonly closing: boolean;
  /** The highest device key of the environment. */
  readonly lastDeviceKey: number;
}

/** A due send. */
export interface DueSend {
  readonly id: string;
  readonly dueAt: number;
  readonly contentKey: number;
  readonly contentType: string;
}

/** Statements that start sends. */
export class SendStartsSql extends Context.Service<SendStartsSql>()("waypost/sending/SendStartsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const cap = (count: string, period: string) =>
      sql.literal(
        `CASE WHEN ${count} IS NOT NULL THEN jsonb_build_object('count', ${count}, 'period', ${period}) END`,
      );
    const isOf = tenantIs(sql);

    return {
      /** Campaigns with due sends, the longest due first. */
      dueCampaigns: (now: number, limit: number) =>
        Effect.orDie(sql<SendingCampaign>`
          SELECT s.workspace_id AS "workspaceId", s.environment, s.campaign_id AS "campaignId"
          FROM send s WHERE s.status = 'scheduled' AND s.due_at <= ${instant(now)}
          GROUP BY 1, 2, 3 ORDER BY min(s.due_at) LIMIT ${limit}`),

      /** When the next send is due; null for none. */
      nextDue: (now: number) =>
        sql<{ readonly at: number | null }>`
          SELECT ${epochMillis("min(s.due_at)")} AS at FROM send s
          WHERE s.status = 'scheduled' AND s.due_at > ${instant(now)}`.pipe(
          Effect.map(([next]) => next?.at ?? null),
          Effect.orDie,
        ),

      /** Locks the campaign, so that no other starts its sends, pauses, changes or deletes it. */
      lock: (campaign: SendingCampaign) =>
        Effect.orDie(sql<HeldCampaign>`
          SELECT w.public_id AS workspace, c.paused, c.timezone, ${epochMillis("c.ends_at")} AS "endsAt",
            ${cap("c.frequency_cap_count", "c.frequency_cap_period")} AS cap,
            ${cap("w.default_cap_count", "w.default_cap_period")} AS "defaultCap",
            w.deletion_scheduled_at IS NOT NULL AS closing, t.last_device_key AS "lastDeviceKey"
          FROM campaign c
          JOIN workspace w ON w.id = c.workspace_id
          JOIN tenant t ON ${sameTenant("t", "c")}
          WHERE ${isOf("c", campaign)} AND c.id = ${campaign.campaignId} AND c.type = 'push'
          FOR NO KEY UPDATE OF c`),

      /** Locks the campaign's due sends, those of one minute by age of the notification (contract L4). */
      lockDue: (campaign: SendingCampaign, now: number) =>
        Effect.orDie(sql<DueSend>`
          SELECT s.id, ${epochMillis("s.due_at")} AS "dueAt", n.content_key AS "contentKey",
            k.type AS "contentType"
          FROM send s
          JOIN campaign_notification a ON ${sameTenant("a", "s")}
            AND a.campaign_id = s.campaign_id AND a.notification_id = s.notification_id
          JOIN notification n ON ${sameTenant("n", "s")} AND n.id = s.notification_id
          JOIN content k ON ${sameTenant("k", "n")} AND k.key = n.content_key
          WHERE ${isOf("s", campaign)} AND s.campaign_id = ${campaign.campaignId}
            AND s.status = 'scheduled' AND s.due_at <= ${instant(now)}
          ORDER BY s.due_at, a.attached_at, a.id
          FOR UPDATE OF s`),

      /** Ends a locked send without running it. */
      end: (campaign: SendingCampaign, id: string, status: "skipped" | "missed", now: number) =>
        Effect.orDie(sql`
          WITH ended AS (
            UPDATE send s SET status = ${status}, finished_at = ${instant(now)}
            WHERE ${isOf("s", campaign)} AND s.id = ${id} AND s.status = 'scheduled' RETURNING s.*
          ), ${recordedSendsSql(sql, "ended", now)}
          SELECT FROM ended`),

      /** Starts a locked send, with its content and cap. */
      start: (campaign: SendingCampaign, due: DueSend, window: CapWindow | null, now: number) =>
        Effect.orDie(sql<{ readonly sourceId: bigint }>`
          UPDATE send s SET status = 'running', source_id = nextval('delivery_source_id'),
            started_at = ${instant(now)}, content_key = ${due.contentKey}, content_type = ${due.contentType},
            cap_count = ${window?.count ?? null}, cap_since = ${instant(window?.since ?? null)}
          WHERE ${isOf("s", campaign)} AND s.id = ${due.id} AND s.status = 'scheduled'
          RETURNING s.source_id AS "sourceId"`),

      /** Splits all device keys into batches, which include every device registered at the start. */
      splitByRange: (campaign: SendingCampaign, sourceId: bigint, lastDeviceKey: number, size: number) =>
        Effect.orDie(sql`
          INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped,
            first_key, last_key)
          SELECT s.workspace_id, s.environment, s.source_id, n, s.campaign_key, s.cap_count IS NOT NULL,
            (n - 1) * ${size}::int + 1, n * ${size}::int
          FROM send s, generate_series(1, ${Math.ceil(lastDeviceKey / size)}::int) AS n
          WHERE ${isOf("s", campaign)} AND s.source_id = ${sourceId}`),

      /** Creates batch 0. The worker that takes it finds the devices of the audience and splits them. */
      splitLater: (campaign: SendingCampaign, sourceId: bigint, audience: Audience) =>
        Effect.orDie(sql`
          INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped, audience)
          SELECT s.workspace_id, s.environment, s.source_id, 0, s.campaign_key, s.cap_count IS NOT NULL,
            ${jsonb(audience)}
          FROM send s WHERE ${isOf("s", campaign)} AND s.source_id = ${sourceId}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendStartsSql, SendStartsSql.make);
}
