import { Effect } from "effect";
import { instant, jsonb, onlyRow, utc } from "../../database/Rows.ts";
import { anyRow } from "../../database/Statements.ts";
import { SqlService } from "../../database/SqlService.ts";
import { sameTenant, tenantIs } from "../../database/TenantColumns.ts";
import { workspaceStatements, table } from "../../database/WorkspaceGroups.ts";
import { answerDeltasSql } from "../../deltas/DeltasSql.ts";
import { conversionsSql } from "../../deltas/ExperimentCountsSql.ts";
import type { NotificationType } from "../../notifications/MessageContent.ts";
import type { Question } from "../../notifications/Survey.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { TextSource } from "../../notifications/templates/MessageTexts.ts";
import { mayHaveArrivedSql } from "../../sending/deliveries/ArrivedSql.ts";
import type { DeliveryKey } from "../../sending/deliveries/MessageId.ts";
import type { Answer } from "./Answer.ts";
import type { CampaignKey, ContentKey, DeviceKey, NotificationKey } from "../../wire/Ids.ts";

/** A survey as it was sent to a device, with the questions of that revision. */
export interface SentSurvey {
  readonly type: NotificationType;
  readonly questions: ReadonlyArray<Question>;
  readonly campaign_key: CampaignKey;
  readonly notification_key: NotificationKey;
  readonly content_key: ContentKey;
  readonly translations: TextSource["translations"];
  /** The device's when it was sent: it decides in which language choices are read first. */
  readonly locale: string | null;
  /** Whether it was a test send. */
  readonly test: boolean;
}

/** The keys of a stored response, and the instant of its device's first answer. */
export interface ResponseFacts {
  readonly campaign_id: string;
  readonly notification_id: string;
  readonly first_answered_at: string;
}

/** Statements on answers. Bound: the responses of 1 delivery, or 1 row. */
export class AnswersSql extends SqlService<AnswersSql>("waypost/events/AnswersSql")((sql) => {
  const { onShard } = workspaceStatements(sql);

  /** Condition: the row of an alias is the response of a device to a survey on a campaign. */
  const isOf = (alias: string, tenant: TenantKey, deviceKey: DeviceKey, survey: SentSurvey) =>
    sql`${tenantIs(alias, tenant)} AND ${sql(`${alias}.notification_key`)} = ${survey.notification_key}
      AND ${sql(`${alias}.campaign_key`)} = ${survey.campaign_key}
      AND ${sql(`${alias}.device_key`)} = ${deviceKey}`;

  return {
    /** The survey of a message that its device may have got. */
    find: (tenant: Tenant, sourceId: bigint, deviceKey: DeviceKey) =>
      Effect.orDie(sql<SentSurvey>`
        WITH sent AS MATERIALIZED (
          SELECT d.campaign_key, d.notification_key, d.content_key, d.test,
            CASE WHEN d.recipient IS NULL THEN v.locale ELSE d.recipient ->> 'locale' END AS locale
          FROM delivery d
          LEFT JOIN device v ON ${tenantIs("v", tenant)} AND v.key = d.device_key
          WHERE ${tenantIs("d", tenant)} AND d.source_id = ${sourceId} AND d.device_key = ${deviceKey}
            AND ${mayHaveArrivedSql}
        )
        SELECT c.type, COALESCE(c.questions, '[]') AS questions, d.campaign_key, d.notification_key,
          d.content_key, d.test, c.translations, d.locale
        FROM sent d
        JOIN content c ON ${tenantIs("c", tenant)} AND c.key = d.content_key`),

    /** The facts about a stored response. */
    facts: ({ environment, workspaceId }: Tenant, deviceKey: DeviceKey, survey: SentSurvey) =>
      onlyRow(sql<ResponseFacts>`
        WITH stored AS MATERIALIZED (
          SELECT r.* FROM survey_response r
          WHERE ${isOf("r", { environment, workspaceId }, deviceKey, survey)}
        )
        SELECT COALESCE(k.id, g.id) AS campaign_id, c.notification_id,
          ${utc("r.first_answered_at")} AS first_answered_at
        FROM stored r
        JOIN content c ON ${sameTenant("c", "r")} AND c.key = r.content_key
        LEFT JOIN campaign k ON ${sameTenant("k", "r")} AND k.key = r.campaign_key
        LEFT JOIN deleted_campaign g ON ${sameTenant("g", "r")} AND g.key = r.campaign_key`),

    /** Stores answers to a test send, which count in no result. They replace earlier ones. */
    putTest: (
      { environment, workspaceId }: Tenant,
      { deviceKey, sourceId }: DeliveryKey,
      contentKey: ContentKey,
      answers: ReadonlyArray<Answer>,
      now: number,
    ) =>
      Effect.orDie(sql`
        INSERT INTO test_response (workspace_id, environment, source_id, device_key, content_key, answers,
          answered_at)
        VALUES (${workspaceId}, ${environment}, ${sourceId}, ${deviceKey}, ${contentKey}, ${jsonb(answers)},
          ${instant(now)})
        ON CONFLICT (workspace_id, environment, source_id, device_key) DO UPDATE
        SET answers = EXCLUDED.answers, answered_at = EXCLUDED.answered_at`),

    /**
     * Stores answers to a survey of a campaign. They replace earlier ones, but not their first date.
     * Stores nothing, and is false, if a concurrent first response came before; then it is to be repeated.
     */
    put: (
      { environment, workspaceId }: Tenant,
      deviceKey: DeviceKey,
      survey: SentSurvey,
      answers: ReadonlyArray<Answer>,
      now: number,
    ) =>
      anyRow(
        onShard([{ workspaceId }])(
          () => sql`
        WITH earlier AS MATERIALIZED (
          SELECT r.answers FROM ${table.survey_response} r
          WHERE ${isOf("r", { environment, workspaceId }, deviceKey, survey)} FOR NO KEY UPDATE
        ), added AS (
          INSERT INTO ${table.survey_response} (workspace_id, environment, notification_key, campaign_key,
            device_key, content_key, answers, first_answered_at, answered_at)
          SELECT ${workspaceId}, ${environment}, ${survey.notification_key}, ${survey.campaign_key},
            ${deviceKey}, ${survey.content_key}, ${jsonb(answers)}, ${instant(now)}, ${instant(now)}
          WHERE NOT EXISTS (SELECT FROM earlier)
          ON CONFLICT DO NOTHING
          RETURNING *
        ), changed AS (
          UPDATE ${table.survey_response} r SET content_key = ${survey.content_key},
            answers = ${jsonb(answers)},
            answered_at = ${instant(now)}
          FROM earlier e WHERE ${isOf("r", { environment, workspaceId }, deviceKey, survey)}
          RETURNING r.*, e.answers AS replaced
        ), stored AS (
          SELECT *, NULL::jsonb AS replaced FROM added UNION ALL SELECT * FROM changed
        ), ${answerDeltasSql(sql, sql`SELECT * FROM stored`)}, ${conversionsSql(
          sql,
          sql`SELECT a.workspace_id, a.environment, a.campaign_key, a.first_answered_at AS at,
              true AS is_reply, 'answered' AS goal, COALESCE(-v.user_key, v.key) AS unit_key
            FROM added a
            JOIN ${table.device} v ON ${tenantIs("v", { environment, workspaceId })}
              AND v.key = ${deviceKey}`,
        )}
        SELECT 1 FROM stored`,
        ),
      ),
  };
}) {}
