import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { instant, jsonb } from "../database/Rows.ts";
import type { NotificationType } from "../notifications/MessageContent.ts";
import type { Question } from "../notifications/Survey.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Answer } from "./Answer.ts";

/** What a device was sent: the questions of that revision, and the numbers of what they belong to. */
export interface SentSurvey {
  readonly type: NotificationType;
  readonly questions: ReadonlyArray<Question>;
  readonly campaign_no: number;
  readonly notification_no: number;
  readonly content_no: number;
}

/** Every statement on answers. */
export class AnswersSql extends Context.Service<AnswersSql>()("waypost/events/AnswersSql", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;

    return {
      /** A push can be answered before the push service's answer has been noted. */
      find: ({ environment, workspaceId }: Tenant, origin: bigint, deviceNo: number) =>
        Effect.orDie(sql<SentSurvey>`
          SELECT c.type, COALESCE(c.questions, '[]') AS questions, d.campaign_no, d.notification_no, d.content_no
          FROM delivery d
          JOIN content c
            ON c.workspace_id = d.workspace_id AND c.environment = d.environment AND c.no = d.content_no
          WHERE d.workspace_id = ${workspaceId} AND d.environment = ${environment}
            AND d.origin = ${origin} AND d.device_no = ${deviceNo} AND d.status IN ('handed_over', 'delivered')`),

      /** One row for a device, a survey and a campaign: the answers are the last ones, the date of the first stays. */
      put: (
        { environment, workspaceId }: Tenant,
        deviceNo: number,
        survey: SentSurvey,
        answers: ReadonlyArray<Answer>,
        now: number,
      ) =>
        Effect.orDie(sql`
          INSERT INTO survey_response (workspace_id, environment, notification_no, campaign_no, device_no, content_no,
            answers, first_answered_at, answered_at)
          VALUES (${workspaceId}, ${environment}, ${survey.notification_no}, ${survey.campaign_no}, ${deviceNo},
            ${survey.content_no}, ${jsonb(answers)}, ${instant(now)}, ${instant(now)})
          ON CONFLICT (workspace_id, environment, notification_no, campaign_no, device_no) DO UPDATE
          SET content_no = EXCLUDED.content_no, answers = EXCLUDED.answers, answered_at = EXCLUDED.answered_at`),
    };
  }),
}) {
  static readonly layer = Layer.effect(AnswersSql, AnswersSql.make);
}
