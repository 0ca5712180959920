import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { testStart } from "../TestWaypost.ts";
import type { Asked } from "./ReportOracle.ts";

/** The first answer of a device to one of the surveys that there are, by its place among them. */
export interface PastResponse {
  readonly survey: number;
  readonly device: number;
  readonly firstAt: number;
}

/** A survey on a campaign, as it was recorded. */
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

/** Names what was recorded and gives it questions, then writes the responses. */
export const respond = Effect.fnUntraced(function* (
  workspaceId: number,
  responses: ReadonlyArray<PastResponse>,
) {
  const sql = yield* SqlClient.SqlClient;
  const found = yield* sql<Omit<Survey, "name" | "questions">>`
    SELECT cn.id, cn.campaign_id, c.key AS campaign_key, n.id AS survey_id, n.key AS survey_key, n.content_key, cn.trigger_type
    FROM campaign_notification cn JOIN campaign c ON c.id = cn.campaign_id JOIN notification n ON n.id = cn.notification_id
    WHERE cn.workspace_id = ${workspaceId} AND n.type = 'survey' ORDER BY cn.id`;
  const surveys = found.map((each, at): Survey => ({
    ...each,
    // Few names, so that ids have to decide.
    name: ["b", "B", "\u{1F600}", "\uFFFD"][at % 4] ?? "",
    questions: 1 + (at % 5),
  }));
  for (const { content_key, name, questions, survey_id } of surveys) {
    yield* sql`UPDATE notification SET name = ${name} WHERE id = ${survey_id}`;
    const asked = JSON.stringify(Array.from({ length: questions }, () => ({})));
    yield* sql`UPDATE content SET questions = ${asked}::jsonb WHERE key = ${content_key}`;
  }
  const kept = new Map<string, PastResponse>();
  for (const response of responses) {
    if (response.survey < surveys.length) kept.set(`${response.survey}/${response.device}`, response);
  }
  for (const { device, firstAt, survey } of kept.values()) {
    const of = surveys[survey];
    if (of === undefined) continue;
    yield* sql`INSERT INTO survey_response ${sql.insert({
      workspace_id: workspaceId,
      environment: "sandbox",
      notification_key: of.survey_key,
      campaign_key: of.campaign_key,
      device_key: device + 1,
      content_key: of.content_key,
      answers: "[]",
      first_answered_at: new Date(firstAt),
      // Later answers date nothing.
      answered_at: new Date(testStart),
    })}`;
  }
  return { surveys, responses: [...kept.values()] };
}, Effect.orDie);

/** By the rules in plain words: surveys that are on a campaign that matches, with the trigger asked for (K3, K9). */
export const expectedSurveys = (
  zone: string,
  asked: Asked,
  matching: ReadonlyArray<{ readonly id: string; readonly name: string; readonly status: string }>,
  { responses, surveys }: { surveys: ReadonlyArray<Survey>; responses: ReadonlyArray<PastResponse> },
) => {
  const calendar = new Intl.DateTimeFormat("en-CA", { timeZone: zone });
  const isIn = (ms: number) => {
    const date = calendar.format(ms);
    return date >= asked.start && date <= asked.end;
  };
  return surveys
    .flatMap((survey, place) => {
      const on = matching.find(({ id }) => id === survey.campaign_id);
      if (on === undefined || asked.content_type === "message") return [];
      if (asked.activation !== undefined && asked.activation !== survey.trigger_type) return [];
      if (asked.status !== undefined && asked.status !== on.status) return [];
      return [
        {
          id: survey.id,
          campaign_id: survey.campaign_id,
          campaign_name: on.name,
          survey_id: survey.survey_id,
          survey_name: survey.name,
          trigger_type: survey.trigger_type,
          questions: survey.questions,
          responses: responses.filter((response) => response.survey === place && isIn(response.firstAt))
            .length,
          status: on.status,
        },
      ];
    })
    .sort(
      (a, b) =>
        b.responses - a.responses ||
        Buffer.compare(Buffer.from(a.survey_name), Buffer.from(b.survey_name)) ||
        (a.id < b.id ? -1 : 1),
    );
};
