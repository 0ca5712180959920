import { Effect, Layer } from "effect";
import { SqlClient, type SqlError } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import { run } from "../database/Statements.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { SendPlanRepository, type WaitingSend } from "./SendPlanRepository.ts";

interface EndedSend {
  readonly sourceId: bigint | null;
}

const sourceIds = (
  ended: Effect.Effect<ReadonlyArray<EndedSend>, SqlError.SqlError>,
): Effect.Effect<ReadonlyArray<bigint>> =>
  Effect.orDie(Effect.map(ended, (rows) => rows.flatMap(({ sourceId }) => sourceId ?? [])));

/** Every statement that plans sends, or ends them by a change of what they send. Starting and carrying out have their own. */
export const sendPlanSql = Layer.effect(
  SendPlanRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const of = (tenant: Tenant) =>
      sql`s.workspace_id = ${tenant.workspaceId} AND s.environment = ${tenant.environment}`;

    return SendPlanRepository.of({
      /** Moves the send of a notification on a campaign that waits for its minute, or adds one where none waits. */
      schedule: (tenant, id, campaignId, notificationId, dueAt) =>
        run(sql`
          WITH moved AS (
            UPDATE send s SET due_at = ${instant(dueAt)}
            WHERE ${of(tenant)} AND s.campaign_id = ${campaignId} AND s.notification_id = ${notificationId}
              AND s.status = 'scheduled'
            RETURNING s.id
          )
          INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id, notification_key, due_at,
            status)
          SELECT c.workspace_id, c.environment, ${id}, c.id, c.key, n.id, n.key, ${instant(dueAt)}, 'scheduled'
          FROM campaign c
          JOIN notification n ON n.workspace_id = c.workspace_id AND n.environment = c.environment
          WHERE c.workspace_id = ${tenant.workspaceId} AND c.environment = ${tenant.environment} AND c.id = ${campaignId}
            AND n.id = ${notificationId} AND NOT EXISTS (SELECT FROM moved)`),

      /** The sends of a campaign whose minute is still ahead. */
      waiting: (tenant, campaignId, now) =>
        Effect.orDie(sql<WaitingSend>`
          SELECT s.id, cn.send_at AS "sendAt"
          FROM send s
          JOIN campaign_notification cn ON cn.workspace_id = s.workspace_id AND cn.environment = s.environment
            AND cn.campaign_id = s.campaign_id AND cn.notification_id = s.notification_id
          WHERE ${of(tenant)} AND s.campaign_id = ${campaignId} AND s.status = 'scheduled'
            AND s.due_at > ${instant(now)} AND cn.send_at IS NOT NULL`),

      /** Gives each of these sends its new minute, in order, if it still waits. */
      move: (tenant, ids, dueAt) =>
        run(sql`
          UPDATE send s SET due_at = moved.due_at
          FROM unnest(${arrayOf("uuid", ids)}, ${arrayOf("timestamptz", dueAt)}) AS moved (id, due_at)
          WHERE ${of(tenant)} AND s.id = moved.id AND s.status = 'scheduled' AND s.due_at <> moved.due_at`),

      /** Ends what runs, and what waits with its minute over, as skipped; gives the origins of what ran. */
      skip: (tenant, campaignId, now) =>
        sourceIds(sql<EndedSend>`
          UPDATE send s SET status = 'skipped', finished_at = ${instant(now)}
          WHERE ${of(tenant)} AND s.campaign_id = ${campaignId}
            AND (s.status = 'running' OR (s.status = 'scheduled' AND s.due_at <= ${instant(now)}))
          RETURNING s.source_id AS "sourceId"`),

      /** Ends what waits or runs of a notification on the campaign, null for all of them; gives the origins of what ran. */
      cancel: (tenant, campaignId, notificationId, now) =>
        sourceIds(sql<EndedSend>`
          UPDATE send s SET status = 'cancelled', finished_at = ${instant(now)}
          WHERE ${of(tenant)} AND s.campaign_id = ${campaignId} AND s.status IN ('scheduled', 'running')
            AND (${notificationId}::uuid IS NULL OR s.notification_id = ${notificationId})
          RETURNING s.source_id AS "sourceId"`),

      /** Drops the open batches of sends that were just ended: a statement of its own, which sees those made until then. */
      dropBatches: (tenant, sourceIds) =>
        run(sql`
          DELETE FROM send_batch s WHERE ${of(tenant)} AND s.source_id = ANY (${arrayOf("int8", sourceIds)})`),
    });
  }),
);
