import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../../access/Access.ts";
import { alsoAsCsv } from "../../http/csv/CsvParameters.ts";
import { NotFound, Unprocessable } from "../../wire/ApiError.ts";
import { PageOf, PageQuery } from "../../wire/Envelope.ts";
import { shownId } from "../../wire/ShownFields.ts";
import { ReportOf } from "../Report.ts";
import { answersRange, reportParameters } from "../ReportQuery.ts";
import { ShownResponse, SurveyResult } from "./SurveyResult.ts";

const params = {
  campaign: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  notification: shownId("Id of the notification, a survey.", "01980a6c-3e77-7a18-b2c4-91d5e6f70a11"),
};

/** Answers of devices to the surveys of a campaign. */
export class SurveyResultsApi extends HttpApiGroup.make("surveyResults")
  .add(
    HttpApiEndpoint.get("results", "/campaigns/:campaign/notifications/:notification/results", {
      params,
      query: { start: reportParameters.start, end: reportParameters.end },
      success: ReportOf(SurveyResult),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report what a survey was answered")
      .annotate(
        OpenApi.Description,
        "The figures of each question that the survey asks now, of the latest answers of each device. A " +
          "response is dated by the device's first answer to the survey on this campaign.",
      ),
    HttpApiEndpoint.get("answers", "/campaigns/:campaign/notifications/:notification/answers", {
      params,
      query: { ...PageQuery, ...answersRange },
      success: PageOf(ShownResponse),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "List the answers to a survey")
      .annotate(
        OpenApi.Description,
        "The latest answers of each device, newest first by its first answer, of all time or of the range.",
      ),
  )
  .annotateEndpoints(Needs, "reports:read")
  .annotateEndpoints(OpenApi.Transform, alsoAsCsv)
  .annotate(OpenApi.Title, "Survey results")
  .annotate(OpenApi.Description, "Answers of devices to a survey on a campaign.") {}
