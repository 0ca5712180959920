import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { alsoAsCsv } from "../http/csv/CsvParameters.ts";
import { ParametersAreFields } from "../http/SchemaErrors.ts";
import {
  CampaignRow,
  campaignRowStatuses,
  InteractionRow,
  LocationRow,
  locationRowStatuses,
  NotificationRow,
  notificationRowStatuses,
  ReportOf,
  Summary,
  SurveyRow,
  surveyRowStatuses,
} from "../reports/Report.ts";
import { reportParameters, rowReportParameters } from "../reports/ReportQuery.ts";
import { NotFound, Unprocessable } from "../wire/ApiError.ts";
import { environmentPath } from "./OperatorPath.ts";

const error = [NotFound, Unprocessable] as const;

/** The reports of the platform API, for the operator, who has no token of the workspace. */
export class TenantReportsApi extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.get("summary", "/workspaces/:workspace/:env/reports/summary", {
      params: environmentPath,
      query: reportParameters,
      success: ReportOf(Summary),
      error,
    }).annotate(OpenApi.Summary, "Report totals and daily counts of an environment"),

    HttpApiEndpoint.get("campaigns", "/workspaces/:workspace/:env/reports/campaigns", {
      params: environmentPath,
      query: rowReportParameters(campaignRowStatuses),
      success: ReportOf(Schema.Array(CampaignRow)),
      error,
    }).annotate(OpenApi.Summary, "Report on each campaign of an environment"),

    HttpApiEndpoint.get("locations", "/workspaces/:workspace/:env/reports/locations", {
      params: environmentPath,
      query: rowReportParameters(locationRowStatuses),
      success: ReportOf(Schema.Array(LocationRow)),
      error,
    }).annotate(OpenApi.Summary, "Report on each location of an environment"),

    HttpApiEndpoint.get("notifications", "/workspaces/:workspace/:env/reports/notifications", {
      params: environmentPath,
      query: rowReportParameters(notificationRowStatuses),
      success: ReportOf(Schema.Array(NotificationRow)),
      error,
    }).annotate(OpenApi.Summary, "Report on each notification of an environment"),

    HttpApiEndpoint.get("interactions", "/workspaces/:workspace/:env/reports/interactions", {
      params: environmentPath,
      query: rowReportParameters(notificationRowStatuses),
      success: ReportOf(Schema.Array(InteractionRow)),
      error,
    }).annotate(OpenApi.Summary, "Report on the opens and clicks of each notification of an environment"),

    HttpApiEndpoint.get("surveys", "/workspaces/:workspace/:env/reports/surveys", {
      params: environmentPath,
      query: rowReportParameters(surveyRowStatuses),
      success: ReportOf(Schema.Array(SurveyRow)),
      error,
    }).annotate(OpenApi.Summary, "Report on each survey of a campaign of an environment"),
  )
  .annotateEndpoints(ParametersAreFields, true)
  .annotateEndpoints(OpenApi.Transform, alsoAsCsv)
  .annotateEndpoints(
    OpenApi.Description,
    "The same figures, parameters and order as the platform API's report of that name.",
  )
  .annotate(OpenApi.Title, "Reports")
  .annotate(OpenApi.Description, "Figures of one environment, as its tokens read them.") {}
