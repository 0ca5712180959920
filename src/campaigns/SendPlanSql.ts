import { Effect, Layer } from "effect";
import { SqlClient, type SqlError } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import { run } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import { recordedSendsSql } from "../outbox/RecordedEventsSql.ts";
import { SendPlanRepository, type WaitingSend } from "./SendPlanRepository.ts";

interface EndedSend {
  readonly sourceId: bigint | null;
}

const sourceIds = (
  ended: Effect.Effect<ReadonlyArray<EndedSend>, SqlError.SqlError>,
): Effect.Effect<ReadonlyArray<bigint>> =>
  Effect.orDie(Effect.map(ended, (rows) => rows.flatMap(({ sourceId }) => sourceId ?? [])));

/** Statements that plan sends, and that end them when their campaign or notification changes. */
export const sendPlanSql = Layer.effect(
  SendPlanRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    return SendPlanRepository.of({
      schedule: (tenant, id, campaignId, notificationId, dueAt) =>
        run(sql`
          WITH moved AS (
            UPDATE send s SET due_at = ${instant(dueAt)}
            WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId}
              AND s.notification_id = ${notificationId} AND s.status = 'scheduled'
            RETURNING s.id
          )
          INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
            notification_key, due_at, status)
          SELECT c.workspace_id, c.environment, ${id}, c.id, c.key, n.id, n.key, ${instant(dueAt)},
            'scheduled'
          FROM campaign c
          JOIN notification n ON ${sameTenant("n", "c")}
          WHERE ${tenantIs("c", tenant)} AND c.id = ${campaignId} AND n.id = ${notificationId}
            AND NOT EXISTS (SELECT FROM moved)`),

      waiting: (tenant, campaignId, now) =>
        Effect.orDie(sql<WaitingSend>`
          SELECT s.id, cn.send_at AS "sendAt"
          FROM send s
          JOIN campaign_notification cn ON ${sameTenant("cn", "s")}
            AND cn.campaign_id = s.campaign_id AND cn.notification_id = s.notification_id
          WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId} AND s.status = 'scheduled'
            AND s.due_at > ${instant(now)} AND cn.send_at IS NOT NULL`),

      move: (tenant, ids, dueAt) =>
        run(sql`
          UPDATE send s SET due_at = moved.due_at
          FROM unnest(${arrayOf("uuid", ids)}, ${arrayOf("timestamptz", dueAt)}) AS moved (id, due_at)
          WHERE ${tenantIs("s", tenant)} AND s.id = moved.id AND s.status = 'scheduled'
            AND s.due_at <> moved.due_at`),

      skip: (tenant, campaignId, now) =>
        sourceIds(sql<EndedSend>`
          WITH ended AS (
            UPDATE send s SET status = 'skipped', finished_at = ${instant(now)}
            WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId}
              AND (s.status = 'running' OR (s.status = 'scheduled' AND s.due_at <= ${instant(now)}))
            RETURNING s.*
          ), ${recordedSendsSql(sql, "ended", now)}
          SELECT s.source_id AS "sourceId" FROM ended s`),

      cancel: (tenant, campaignId, notificationId, now) =>
        sourceIds(sql<EndedSend>`
          WITH ended AS (
            UPDATE send s SET status = 'cancelled', finished_at = ${instant(now)}
            WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId}
              AND s.status IN ('scheduled', 'running')
              AND (${notificationId}::uuid IS NULL OR s.notification_id = ${notificationId})
            RETURNING s.*
          ), ${recordedSendsSql(sql, "ended", now)}
          SELECT s.source_id AS "sourceId" FROM ended s`),

      // A separate statement, so that it sees the latest batches.
      dropBatches: (tenant, sourceIds) =>
        run(sql`
          DELETE FROM send_batch s
          WHERE ${tenantIs("s", tenant)} AND s.source_id = ANY (${arrayOf("int8", sourceIds)})`),
    });
  }),
);
