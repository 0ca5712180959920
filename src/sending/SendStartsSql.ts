import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { asNumber, instant, jsonb } from "../database/Rows.ts";
import type { Audience } from "../devices/SegmentRule.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";
import type { CapWindow } from "./FrequencyCap.ts";
import type { SendingCampaign } from "./Send.ts";

/** A campaign that is held while its sends start. Instants are epoch milliseconds. */
export interface HeldCampaign {
  /** The workspace's id as people know it. */
  readonly workspace: string;
  readonly paused: boolean;
  readonly timezone: TimeZoneName;
  readonly endsAt: number;
  readonly cap: FrequencyCap | null;
  readonly defaultCap: FrequencyCap | null;
  readonly closing: boolean;
  /** The highest device number of the environment. */
  readonly lastDeviceKey: number;
}

/** A send whose minute has come. */
export interface DueSend {
  readonly id: string;
  readonly dueAt: number;
  readonly contentKey: number;
  readonly contentType: string;
}

/** Every statement that starts sends. */
export class SendStartsSql extends Context.Service<SendStartsSql>()("waypost/sending/SendStartsSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const millis = (column: string) => asNumber(`extract(epoch FROM ${column}) * 1000`);
    const cap = (count: string, period: string) =>
      sql.literal(
        `CASE WHEN ${count} IS NOT NULL THEN jsonb_build_object('count', ${count}, 'period', ${period}) END`,
      );
    const of = ({ environment, workspaceId }: SendingCampaign) =>
      sql`s.workspace_id = ${workspaceId} AND s.environment = ${environment}`;

    return {
      /** Campaigns with sends whose minute has come, those that wait longest first. */
      dueCampaigns: (now: number, most: number) =>
        Effect.orDie(sql<SendingCampaign>`
          SELECT s.workspace_id AS "workspaceId", s.environment, s.campaign_id AS "campaignId"
          FROM send s WHERE s.status = 'scheduled' AND s.due_at <= ${instant(now)}
          GROUP BY 1, 2, 3 ORDER BY min(s.due_at) LIMIT ${most}`),

      /** When the next minute comes; null for none. */
      nextDue: (now: number) =>
        sql<{ readonly at: number | null }>`
          SELECT ${millis("min(s.due_at)")} AS at FROM send s
          WHERE s.status = 'scheduled' AND s.due_at > ${instant(now)}`.pipe(
          Effect.map(([next]) => next?.at ?? null),
          Effect.orDie,
        ),

      /** Holds the campaign until the end of the transaction: nobody else starts its sends, pauses, changes or deletes it. */
      hold: ({ campaignId, environment, workspaceId }: SendingCampaign) =>
        Effect.orDie(sql<HeldCampaign>`
          SELECT w.public_id AS workspace, c.paused, c.timezone, ${millis("c.ends_at")} AS "endsAt",
            ${cap("c.frequency_cap_count", "c.frequency_cap_period")} AS cap,
            ${cap("w.default_cap_count", "w.default_cap_period")} AS "defaultCap",
            w.deletion_scheduled_at IS NOT NULL AS closing, t.last_device_key AS "lastDeviceKey"
          FROM campaign c
          JOIN workspace w ON w.id = c.workspace_id
          JOIN tenant t ON t.workspace_id = c.workspace_id AND t.environment = c.environment
          WHERE c.workspace_id = ${workspaceId} AND c.environment = ${environment} AND c.id = ${campaignId}
            AND c.type = 'push'
          FOR NO KEY UPDATE OF c`),

      /** Holds the campaign's due sends; of one minute the older notification comes first (contract L4). */
      holdDue: (campaign: SendingCampaign, now: number) =>
        Effect.orDie(sql<DueSend>`
          SELECT s.id, ${millis("s.due_at")} AS "dueAt", n.content_key AS "contentKey", k.type AS "contentType"
          FROM send s
          JOIN campaign_notification a ON a.workspace_id = s.workspace_id AND a.environment = s.environment
            AND a.campaign_id = s.campaign_id AND a.notification_id = s.notification_id
          JOIN notification n ON n.workspace_id = s.workspace_id AND n.environment = s.environment AND n.id = s.notification_id
          JOIN content k ON k.workspace_id = n.workspace_id AND k.environment = n.environment AND k.key = n.content_key
          WHERE ${of(campaign)} AND s.campaign_id = ${campaign.campaignId} AND s.status = 'scheduled'
            AND s.due_at <= ${instant(now)}
          ORDER BY s.due_at, a.attached_at, a.id
          FOR UPDATE OF s`),

      /** Ends a held send that is not to run. */
      pass: (campaign: SendingCampaign, id: string, status: "skipped" | "missed", now: number) =>
        Effect.orDie(sql`
          UPDATE send s SET status = ${status}, finished_at = ${instant(now)}
          WHERE ${of(campaign)} AND s.id = ${id} AND s.status = 'scheduled'`),

      /** Starts a held send, with what it carries and the cap that holds for all of it. */
      start: (campaign: SendingCampaign, due: DueSend, window: CapWindow | null, now: number) =>
        Effect.orDie(sql<{ readonly sourceId: bigint }>`
          UPDATE send s SET status = 'running', source_id = nextval('delivery_source_id'), started_at = ${instant(now)},
            content_key = ${due.contentKey}, content_type = ${due.contentType}, cap_count = ${window?.count ?? null},
            cap_since = ${instant(window?.since ?? null)}
          WHERE ${of(campaign)} AND s.id = ${due.id} AND s.status = 'scheduled' RETURNING s.source_id AS "sourceId"`),

      /** Cuts all device numbers into batches: whoever was registered when the send started is in them. */
      cutEverybody: (campaign: SendingCampaign, sourceId: bigint, lastDeviceKey: number, size: number) =>
        Effect.orDie(sql`
          INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped, first_key, last_key)
          SELECT s.workspace_id, s.environment, s.source_id, n, s.campaign_key, s.cap_count IS NOT NULL, (n - 1) * ${size}::int + 1,
            n * ${size}::int
          FROM send s, generate_series(1, ${Math.ceil(lastDeviceKey / size)}::int) AS n
          WHERE ${of(campaign)} AND s.source_id = ${sourceId}`),

      /** Leaves the devices of an audience to be found by whoever takes batch 0. */
      cutLater: (campaign: SendingCampaign, sourceId: bigint, audience: Audience) =>
        Effect.orDie(sql`
          INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped, audience)
          SELECT s.workspace_id, s.environment, s.source_id, 0, s.campaign_key, s.cap_count IS NOT NULL, ${jsonb(audience)}
          FROM send s WHERE ${of(campaign)} AND s.source_id = ${sourceId}`),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendStartsSql, SendStartsSql.make);
}
