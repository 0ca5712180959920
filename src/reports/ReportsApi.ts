import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs, WorksAlways } from "../access/Access.ts";
import { alsoAsCsv } from "../http/csv/CsvParameters.ts";
import { ParametersAreFields } from "../http/SchemaErrors.ts";
import { Unprocessable } from "../wire/ApiError.ts";
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
} from "./Report.ts";
import { byVariant, reportParameters, rowReportParameters } from "./ReportQuery.ts";

/** Figures of an environment, read only. They work in Production before the full API is enabled (B1). */
export class ReportsApi extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.get("summary", "/reports/summary", {
      query: reportParameters,
      success: ReportOf(Summary),
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report totals and daily counts")
      .annotate(
        OpenApi.Description,
        "Deliveries, devices reached and geofence activity of a range of days, in total and for every day. " +
          "An id that does not exist matches nothing: its figures are zero.",
      ),
    HttpApiEndpoint.get("campaigns", "/reports/campaigns", {
      query: rowReportParameters(campaignRowStatuses),
      success: ReportOf(Schema.Array(CampaignRow)),
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report on each campaign")
      .annotate(
        OpenApi.Description,
        "One row for every matching campaign, with or without activity. The most delivered come first, " +
          "then by name and id. Not paginated.",
      ),
    HttpApiEndpoint.get("locations", "/reports/locations", {
      query: rowReportParameters(locationRowStatuses),
      success: ReportOf(Schema.Array(LocationRow)),
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report on each location")
      .annotate(
        OpenApi.Description,
        "One row for every location whose events count, with or without events. The most entered come " +
          "first, then by name and id. `activation` and `content_type` leave out no location. Not paginated.",
      ),
    HttpApiEndpoint.get("notifications", "/reports/notifications", {
      query: rowReportParameters(notificationRowStatuses),
      success: ReportOf(Schema.Array(NotificationRow)),
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report on each notification")
      .annotate(
        OpenApi.Description,
        "One row for every notification on a matching campaign with the type and trigger asked for, with " +
          "or without activity; without filters also for those on no campaign. The most delivered come " +
          "first, then by name and id. Not paginated.",
      ),
    HttpApiEndpoint.get("interactions", "/reports/interactions", {
      query: { ...rowReportParameters(notificationRowStatuses), ...byVariant },
      success: ReportOf(Schema.Array(InteractionRow)),
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report on the opens and clicks of each notification")
      .annotate(
        OpenApi.Description,
        "A row for every notification that the report on notifications has with these parameters. " +
          "Opens and clicks count deliveries, on the day when they were opened or clicked. The most " +
          "delivered come first, then by name and id. With `by=variant` a notification with variants has " +
          "a row for each of them and for `control`, also without deliveries, and one with a null " +
          "`variant` for what was delivered outside an experiment, if anything was. Not paginated.",
      ),
    HttpApiEndpoint.get("surveys", "/reports/surveys", {
      query: rowReportParameters(surveyRowStatuses),
      success: ReportOf(Schema.Array(SurveyRow)),
      error: [Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report on each survey of a campaign")
      .annotate(
        OpenApi.Description,
        "One row for every survey on a matching campaign, with or without responses. The most responses " +
          "come first, then by the survey's name and id. A survey on two campaigns has two rows. " +
          "Not paginated.",
      ),
  )
  .annotateEndpoints(Needs, "reports:read")
  .annotateEndpoints(WorksAlways, true)
  .annotateEndpoints(ParametersAreFields, true)
  .annotateEndpoints(OpenApi.Transform, alsoAsCsv)
  .annotate(OpenApi.Title, "Reports")
  .annotate(
    OpenApi.Description,
    "Delivery and geofence figures of any range of days in the workspace's time zone. Filters combine with " +
      "AND. A Sandbox token reports Sandbox test activity, a Production token live results. Answers carry " +
      "an `ETag`; sent back as `If-None-Match` it is answered 304 without a body while nothing has changed.",
  ) {}
