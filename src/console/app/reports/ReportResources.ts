/** The reports as they are on the wire. Types only: no code of the server is bundled. */
import type {
  CampaignRow,
  InteractionRow,
  LocationRow,
  NotificationRow,
  SurveyRow,
} from "../../../reports/Report.ts";
import type {
  QuestionResult as QuestionResultSchema,
  SurveyResult as SurveyResultSchema,
} from "../../../reports/surveys/SurveyResult.ts";

export type CampaignFigures = (typeof CampaignRow)["Encoded"];
export type LocationFigures = (typeof LocationRow)["Encoded"];
export type NotificationFigures = (typeof NotificationRow)["Encoded"];
export type InteractionFigures = (typeof InteractionRow)["Encoded"];
export type SurveyFigures = (typeof SurveyRow)["Encoded"];
export type QuestionFigures = (typeof QuestionResultSchema)["Encoded"];
export type SurveyAnswers = (typeof SurveyResultSchema)["Encoded"];
