import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant, unnested } from "../database/Rows.ts";
import type { TimeOfDay } from "../time/LocalTime.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { Tenant } from "../workspaces/Workspace.ts";

/** A send whose minute is in the future, with the time of day of its notification. */
export interface ScheduledSend {
  readonly id: string;
  readonly sendAt: TimeOfDay;
}

/** Statements that plan sends, and that end them when their campaign or notification changes. */
export class SendPlanSql extends Context.Service<SendPlanSql>()("waypost/campaigns/SendPlanSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    const isOf = tenantIs(sql);

    return {
      /** Moves the scheduled send of a notification on a campaign, or adds one. */
      schedule: (
        tenant: Tenant,
        id: string,
        campaignId: string,
        notificationId: string,
        dueAt: number,
      ): Effect.Effect<unknown> =>
        Effect.orDie(sql`
          WITH moved AS (
            UPDATE send s SET due_at = ${instant(dueAt)}
            WHERE ${isOf("s", tenant)} AND s.campaign_id = ${campaignId}
              AND s.notification_id = ${notificationId} AND s.status = 'scheduled'
            RETURNING s.id
          )
          INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
            notification_key, due_at, status)
          SELECT c.workspace_id, c.environment, ${id}, c.id, c.key, n.id, n.key, ${instant(dueAt)},
            'scheduled'
          FROM campaign c
          JOIN notification n ON ${sameTenant("n", "c")}
          WHERE ${isOf("c", tenant)} AND c.id = ${campaignId} AND n.id = ${notificationId}
            AND NOT EXISTS (SELECT FROM moved)`),

      /** The sends of a campaign whose minute is in the future. */
      scheduled: (tenant: Tenant, campaignId: string, now: number) =>
        Effect.orDie(sql<ScheduledSend>`
          SELECT s.id, cn.send_at AS "sendAt"
          FROM send s
          JOIN campaign_notification cn ON ${sameTenant("cn", "s")}
            AND cn.campaign_id = s.campaign_id AND cn.notification_id = s.notification_id
          WHERE ${isOf("s", tenant)} AND s.campaign_id = ${campaignId} AND s.status = 'scheduled'
            AND s.due_at > ${instant(now)} AND cn.send_at IS NOT NULL`),

      /** Sets the due minutes of sends that are still scheduled. */
      move: (tenant: Tenant, sends: ReadonlyArray<{ readonly id: string; readonly dueAt: number }>) =>
        Effect.orDie(sql`
          UPDATE send s SET due_at = moved.due_at
          FROM ${unnested(sql, "moved", sends, {
            id: ["uuid", ({ id }) => id],
            due_at: ["timestamptz", ({ dueAt }) => dueAt],
          })}
          WHERE ${isOf("s", tenant)} AND s.id = moved.id AND s.status = 'scheduled'
            AND s.due_at <> moved.due_at`),

      /** Skips running and due sends. Returns the source ids of those that were running. */
      skip: (tenant: Tenant, campaignId: string, now: number) =>
        Effect.orDie(sql<{ readonly sourceId: bigint | null }>`
          UPDATE send s SET status = 'skipped', finished_at = ${instant(now)}
          WHERE ${isOf("s", tenant)} AND s.campaign_id = ${campaignId}
            AND (s.status = 'running' OR (s.status = 'scheduled' AND s.due_at <= ${instant(now)}))
          RETURNING s.source_id AS "sourceId"`),

      /**
       * Cancels scheduled and running sends, all with null. Returns the source ids of those that were
       * running.
       */
      cancel: (tenant: Tenant, campaignId: string, notificationId: string | null, now: number) =>
        Effect.orDie(sql<{ readonly sourceId: bigint | null }>`
          UPDATE send s SET status = 'cancelled', finished_at = ${instant(now)}
          WHERE ${isOf("s", tenant)} AND s.campaign_id = ${campaignId}
            AND s.status IN ('scheduled', 'running')
            AND (${notificationId}::uuid IS NULL OR s.notification_id = ${notificationId})
          RETURNING s.source_id AS "sourceId"`),

      /** Drops the open batches of ended sends. A separate statement, so that it sees the latest batches. */
      dropBatches: (tenant: Tenant, sourceIds: ReadonlyArray<bigint>) =>
        Effect.orDie(sql`
          DELETE FROM send_batch s
          WHERE ${isOf("s", tenant)} AND s.source_id = ANY (${arrayOf("int8", sourceIds)})`),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendPlanSql, SendPlanSql.make);
}
