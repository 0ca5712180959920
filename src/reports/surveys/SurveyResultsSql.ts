import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { rowCursor } from "../../database/RowCursor.ts";
import { instant, utc } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { firstRow } from "../../database/Statements.ts";
import type { NotificationType } from "../../notifications/MessageContent.ts";
import type { Question } from "../../notifications/Survey.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { SurveyKey } from "../ReportCounts.ts";
import { inTenant, sameTenant } from "../../database/TenantColumns.ts";
import type { StoredAnswer } from "./ShownAnswers.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

/** A notification on a campaign, with the questions that it asks now. */
export interface Pairing extends SurveyKey {
  readonly type: NotificationType;
  readonly questions: ReadonlyArray<Question>;
}

/** A response as it is stored. */
export interface StoredResponse {
  readonly device_key: DeviceKey;
  readonly device_id: string;
  readonly answered_at: string;
  readonly first_answered_at: string;
  readonly answers: ReadonlyArray<StoredAnswer>;
}

/** A time of responses, open where null (epoch milliseconds). */
export interface ResponsePeriod {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** The statements on answers to a survey on a campaign. Bound: 1 row, or a cursor's 250. */
export class SurveyResultsSql extends SqlService<SurveyResultsSql>(
  "waypost/reports/surveys/SurveyResultsSql",
)((sql) => {
  const isOf = (tenant: Tenant, { campaignKey, notificationKey }: Pairing) =>
    sql`${inTenant(tenant)} AND notification_key = ${notificationKey} AND campaign_key = ${campaignKey}`;

  /** Responses of a pairing before one, newest first. */
  const responses = (
    tenant: Tenant,
    pairing: Pairing,
    { fromMs, toMs }: ResponsePeriod,
    before: number | null,
  ) => sql`
    SELECT r.device_key, v.id AS device_id, ${utc("r.answered_at")} AS answered_at,
      ${utc("r.first_answered_at")} AS first_answered_at, r.answers
    FROM (
      SELECT * FROM survey_response
      WHERE ${isOf(tenant, pairing)}
        AND first_answered_at >= COALESCE(${instant(fromMs)}, '-infinity')
        AND first_answered_at < COALESCE(${instant(toMs)}, 'infinity')
        AND (${before}::int IS NULL OR (first_answered_at, device_key) < (
          SELECT first_answered_at, device_key FROM survey_response
          WHERE ${isOf(tenant, pairing)} AND device_key = ${before}::int))) AS r
    JOIN device v ON ${sameTenant("v", "r")} AND v.key = r.device_key
    ORDER BY r.first_answered_at DESC, r.device_key DESC`;

  return {
    /** A notification on a campaign; none if either does not exist or they do not belong together. */
    pairing: (tenant: Tenant, campaign: string, notification: string) =>
      firstRow(sql<Pairing>`
          SELECT c.key AS "campaignKey", n.key AS "notificationKey", n.type,
            COALESCE(k.questions, '[]') AS questions
          FROM (SELECT * FROM campaign_notification WHERE ${inTenant(tenant)}
            AND campaign_id = ${campaign} AND notification_id = ${notification}) AS cn
          JOIN campaign c ON ${sameTenant("c", "cn")} AND c.id = cn.campaign_id
          JOIN notification n ON ${sameTenant("n", "cn")} AND n.id = cn.notification_id
          JOIN content k ON ${sameTenant("k", "n")} AND k.key = n.content_key`),

    /** Responses after the one of device `before`, by their first answer, newest first. */
    page: (tenant: Tenant, pairing: Pairing, period: ResponsePeriod, before: number | null, limit: number) =>
      Effect.orDie(sql<StoredResponse>`
        /* page of responses */ ${responses(tenant, pairing, period, before)} LIMIT ${limit}`),

    /** All responses, in the order of the pages; in batches. */
    all: (tenant: Tenant, pairing: Pairing, period: ResponsePeriod) =>
      Effect.provideService(
        rowCursor<StoredResponse>(responses(tenant, pairing, period, null)),
        SqlClient.SqlClient,
        sql,
      ),
  };
}) {}
