import { Effect } from "effect";
import type { SqlError } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { run } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import { recordedSendsSql } from "../outbox/RecordedEventsSql.ts";
import type { TimeOfDay } from "../time/LocalTime.ts";
import type { CampaignId, NotificationId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { LateChoice, LocalPlan } from "./LocalSend.ts";
import { occurrenceStatements } from "./recurrence/OccurrencesSql.ts";

/** A scheduled send, with the time of day that its notification was written with. */
export interface WaitingSend {
  readonly id: string;
  readonly notificationId: NotificationId;
  readonly sendAt: TimeOfDay;
  /** Of a send at a local time; else null. */
  readonly late: LateChoice | null;
}

/** When a send is due. `local` is its plan if it is sent at a local time, else null. */
export interface PlannedSend {
  readonly dueAt: number;
  readonly local: LocalPlan | null;
}

interface EndedSend {
  readonly sourceId: bigint | null;
}

const sourceIds = (
  ended: Effect.Effect<ReadonlyArray<EndedSend>, SqlError.SqlError>,
): Effect.Effect<ReadonlyArray<bigint>> =>
  Effect.orDie(Effect.map(ended, (rows) => rows.flatMap(({ sourceId }) => sourceId ?? [])));

/**
 * Statements that plan sends, and that end them when their campaign or notification changes. Bound: the next
 * dates of 20 notifications of a campaign (plan).
 */
export class SendPlanSql extends SqlService<SendPlanSql>("waypost/campaigns/SendPlanSql")((sql) => ({
  /**
   * Moves the scheduled send of a notification on a campaign to its new time, or inserts one under this id
   * if none is scheduled. A send at a local time has a plan; one that has the same time and choice already,
   * scheduled or running, stays as it is, and a running one with another is cancelled. Returns the source
   * ids of cancelled sends.
   */
  schedule: (
    tenant: Tenant,
    id: string,
    campaignId: CampaignId,
    notificationId: NotificationId,
    { dueAt, local }: PlannedSend,
    now: number,
  ) =>
    sourceIds(sql<EndedSend>`
      WITH kept AS (
        SELECT FROM send s
        WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId}
          AND s.notification_id = ${notificationId} AND s.status IN ('scheduled', 'running')
          AND s.local_at = ${local?.localAt ?? null}::text AND s.late = ${local?.late ?? null}::text
      ), moved AS (
        UPDATE send s SET due_at = ${instant(dueAt)}, local_at = ${local?.localAt ?? null},
          late = ${local?.late ?? null}, planned_at = ${instant(local?.plannedAt ?? null)},
          next_at = ${instant(local?.nextAt ?? null)}
        WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId}
          AND s.notification_id = ${notificationId} AND s.status = 'scheduled'
          AND NOT EXISTS (SELECT FROM kept)
        RETURNING s.id
      ), unfixed AS (
        DELETE FROM send s USING moved WHERE ${tenantIs("s", tenant)} AND s.parent_id = moved.id
      ), ended AS (
        UPDATE send s SET status = 'cancelled', finished_at = ${instant(now)}
        WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId}
          AND s.notification_id = ${notificationId} AND s.status = 'running'
          AND (s.local_at IS NOT NULL OR s.parent_id IS NOT NULL) AND NOT EXISTS (SELECT FROM kept)
        RETURNING s.*
      ), ${recordedSendsSql(sql, "ended", now)}, added AS (
        INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
          notification_key, due_at, status, local_at, late, planned_at, next_at)
        SELECT c.workspace_id, c.environment, ${id}, c.id, c.key, n.id, n.key, ${instant(dueAt)},
          'scheduled', ${local?.localAt ?? null}, ${local?.late ?? null},
          ${instant(local?.plannedAt ?? null)}, ${instant(local?.nextAt ?? null)}
        FROM campaign c
        JOIN notification n ON ${sameTenant("n", "c")}
        WHERE ${tenantIs("c", tenant)} AND c.id = ${campaignId} AND n.id = ${notificationId}
          AND NOT EXISTS (SELECT FROM moved) AND NOT EXISTS (SELECT FROM kept)
      )
      SELECT s.source_id AS "sourceId" FROM ended s`),

  /** The scheduled sends of a campaign that are due after `now`, and all scheduled ones at local times. */
  waiting: (tenant: Tenant, campaignId: CampaignId, now: number) =>
    Effect.orDie(sql<WaitingSend>`
      SELECT s.id, s.notification_id AS "notificationId", cn.send_at AS "sendAt", s.late
      FROM send s
      JOIN campaign_notification cn ON ${sameTenant("cn", "s")}
        AND cn.campaign_id = s.campaign_id AND cn.notification_id = s.notification_id
      WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId} AND s.status = 'scheduled'
        AND (s.due_at > ${instant(now)} OR s.local_at IS NOT NULL) AND cn.send_at IS NOT NULL`),

  /** Gives each of these sends its new instant, in order, if it is still scheduled. */
  move: (tenant: Tenant, ids: ReadonlyArray<string>, dueAt: ReadonlyArray<number>) =>
    run(sql`
      UPDATE send s SET due_at = moved.due_at
      FROM unnest(${arrayOf("uuid", ids)}, ${arrayOf("timestamptz", dueAt)}) AS moved (id, due_at)
      WHERE ${tenantIs("s", tenant)} AND s.id = moved.id AND s.status = 'scheduled'
        AND s.due_at <> moved.due_at`),

  /**
   * Ends the running sends of a campaign and those due by `now` as skipped, except scheduled ones at local
   * times, whose minute a worker knows; gives the source ids of running ones.
   */
  skip: (tenant: Tenant, campaignId: CampaignId, now: number) =>
    sourceIds(sql<EndedSend>`
      WITH ended AS (
        UPDATE send s SET status = 'skipped', finished_at = ${instant(now)}
        WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId}
          AND (s.status = 'running' OR (s.status = 'scheduled' AND s.local_at IS NULL
            AND s.due_at <= ${instant(now)}))
        RETURNING s.*
      ), ${recordedSendsSql(sql, "ended", now)}
      SELECT s.source_id AS "sourceId" FROM ended s`),

  /**
   * Ends the scheduled and running sends of a notification on the campaign, or with null of all its
   * notifications, as cancelled; gives the source ids of running ones.
   */
  // The lock waits for the planning of dates, whose sends the second statement then sees.
  cancel: (tenant: Tenant, campaignId: CampaignId, notificationId: NotificationId | null, now: number) =>
    Effect.andThen(
      run(sql`
        SELECT FROM campaign c WHERE ${tenantIs("c", tenant)} AND c.id = ${campaignId}
        FOR NO KEY UPDATE`),
      sourceIds(sql<EndedSend>`
        WITH ended AS (
          UPDATE send s SET status = 'cancelled', finished_at = ${instant(now)}
          WHERE ${tenantIs("s", tenant)} AND s.campaign_id = ${campaignId}
            AND s.status IN ('scheduled', 'running')
            AND (${notificationId}::uuid IS NULL OR s.notification_id = ${notificationId})
          RETURNING s.*
        ), ${recordedSendsSql(sql, "ended", now)}
        SELECT s.source_id AS "sourceId" FROM ended s`),
    ),

  ...occurrenceStatements(sql),

  /** Deletes the open batches of sends. */
  // A separate statement, so that it sees the latest batches.
  dropBatches: (tenant: Tenant, sourceIds: ReadonlyArray<bigint>) =>
    run(sql`
      DELETE FROM send_batch s
      WHERE ${tenantIs("s", tenant)} AND s.source_id = ANY (${arrayOf("int8", sourceIds)})`),
})) {}
