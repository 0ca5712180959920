import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { idAt } from "../../src/wire/Ids.ts";
import { testStart } from "../TestWaypost.ts";
import { byName, type QueryParameters } from "./ReportOrder.ts";
import { writeResponses } from "../SourceRows.ts";

/** The first answer of a device to a survey, by the index of the survey. */
export interface PastResponse {
  readonly survey: number;
  readonly device: number;
  readonly firstAt: number;
}

/** A recorded survey on a campaign. */
interface Survey {
  readonly id: string;
  readonly campaign_id: string;
  readonly campaign_key: number;
  readonly survey_id: string;
  readonly survey_key: number;
  readonly content_key: number;
  readonly trigger_type: string;
  readonly name: string;
  readonly questions: number;
}

/** Gives the recorded surveys names and questions, then writes the responses. */
export const respond = Effect.fnUntraced(function* (
  workspaceId: number,
  responses: ReadonlyArray<PastResponse>,
) {
  const sql = yield* SqlClient.SqlClient;
  const found = yield* sql<Omit<Survey, "name" | "questions">>`
    SELECT cn.id, cn.campaign_id, c.key AS campaign_key, n.id AS survey_id, n.key AS survey_key,
      n.content_key, cn.trigger_type
    FROM campaign_notification cn JOIN campaign c ON c.id = cn.campaign_id JOIN notification n
      ON n.id = cn.notification_id
    WHERE cn.workspace_id = ${workspaceId} AND n.type = 'survey' ORDER BY cn.id`;
  const surveys = found.map((each, at): Survey => ({
    ...each,
    // Few names, so that some rows are ordered by id.
    name: ["b", "B", "\u{1F600}", "\uFFFD"][at % 4] ?? "",
    questions: 1 + (at % 5),
  }));
  for (const { content_key, name, questions, survey_id } of surveys) {
    yield* sql`UPDATE notification SET name = ${name} WHERE id = ${survey_id}`;
    const texts = JSON.stringify(
      Array.from({ length: questions }, (_, index) => ({
        id: idAt(index),
        question_text: `Question ${index}`,
        type: "RATING",
        required: false,
        choices: [],
      })),
    );
    yield* sql`UPDATE content SET questions = ${texts}::jsonb WHERE key = ${content_key}`;
  }
  const kept = new Map<string, PastResponse>();
  for (const response of responses) {
    if (response.survey < surveys.length) kept.set(`${response.survey}/${response.device}`, response);
  }
  for (const { device, firstAt, survey } of kept.values()) {
    const answered = surveys[survey];
    if (answered === undefined) continue;
    yield* writeResponses(
      sql`INSERT INTO survey_response ${sql.insert({
        workspace_id: workspaceId,
        environment: "sandbox",
        notification_key: answered.survey_key,
        campaign_key: answered.campaign_key,
        device_key: device + 1,
        content_key: answered.content_key,
        answers: "[]",
        first_answered_at: new Date(firstAt),
        // Later answers do not change the day of the response.
        answered_at: new Date(testStart),
      })}`,
    );
  }
  return { surveys, responses: [...kept.values()] };
}, Effect.orDie);

/**
 * By the rules in plain words: surveys that are on a campaign that matches, with the trigger asked for (K3,
 * K9).
 */
export const expectedSurveys = (
  zone: string,
  query: QueryParameters,
  matching: ReadonlyArray<{ readonly id: string; readonly name: string; readonly status: string }>,
  { responses, surveys }: { surveys: ReadonlyArray<Survey>; responses: ReadonlyArray<PastResponse> },
) => {
  const calendar = new Intl.DateTimeFormat("en-CA", { timeZone: zone });
  const isIn = (ms: number) => {
    const date = calendar.format(ms);
    return date >= query.start && date <= query.end;
  };
  return surveys
    .flatMap((survey, index) => {
      const on = matching.find(({ id }) => id === survey.campaign_id);
      if (on === undefined || query.content_type === "message") return [];
      if (query.activation !== undefined && query.activation !== survey.trigger_type) return [];
      if (query.status !== undefined && query.status !== on.status) return [];
      return [
        {
          id: survey.id,
          campaign_id: survey.campaign_id,
          campaign_name: on.name,
          survey_id: survey.survey_id,
          survey_name: survey.name,
          trigger_type: survey.trigger_type,
          questions: survey.questions,
          responses: responses.filter((response) => response.survey === index && isIn(response.firstAt))
            .length,
          status: on.status,
        },
      ];
    })
    .sort(
      (a, b) =>
        b.responses - a.responses ||
        byName({ id: a.id, name: a.survey_name }, { id: b.id, name: b.survey_name }),
    );
};
