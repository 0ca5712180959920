/** The reports as they are on the wire. Types only: no code of the server is bundled. */
import type { CampaignReportRow } from "../data/Resources.ts";
import type { InteractionRow, LocationRow, NotificationRow, SurveyRow } from "../../src/reports/Report.ts";
import type {
  QuestionResult as QuestionResultSchema,
  SurveyResult as SurveyResultSchema,
} from "../../src/reports/surveys/SurveyResult.ts";

/** A row of the report of campaigns. */
export type CampaignFigures = CampaignReportRow;
/** A row of the report of locations. */
export type LocationFigures = (typeof LocationRow)["Encoded"];
/** A row of the report of notifications. */
export type NotificationFigures = (typeof NotificationRow)["Encoded"];
/** A row of the report of opens and clicks. */
export type InteractionFigures = (typeof InteractionRow)["Encoded"];
/** A row of the report of surveys: a survey on a campaign. */
export type SurveyFigures = (typeof SurveyRow)["Encoded"];
/** The figures of a question, by its type. */
export type QuestionFigures = (typeof QuestionResultSchema)["Encoded"];
/** The results of a survey. */
export type SurveyAnswers = (typeof SurveyResultSchema)["Encoded"];
