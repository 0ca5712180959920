import { HttpApi, OpenApi } from "effect/http-api";
import { Access } from "./access/Access.ts";
import { MeApi } from "./access/MeApi.ts";
import { ActivityApi } from "./activity/ActivityApi.ts";
import { CampaignsApi } from "./campaigns/CampaignsApi.ts";
import { CopiesApi } from "./copies/CopiesApi.ts";
import { RegisteredDevicesApi } from "./devices/RegisteredDevicesApi.ts";
import { SegmentsApi } from "./devices/SegmentsApi.ts";
import { CustomEventsApi } from "./events/custom/CustomEventsApi.ts";
import { DeviceEventsApi } from "./events/DeviceEventsApi.ts";
import { ExperimentsApi } from "./experiments/ExperimentsApi.ts";
import { SchemaErrors } from "./http/SchemaErrors.ts";
import { LocationGroupsApi } from "./locations/LocationGroupsApi.ts";
import { LocationsApi } from "./locations/LocationsApi.ts";
import { MediaApi } from "./media/MediaApi.ts";
import { ContentsApi } from "./notifications/ContentsApi.ts";
import { NotificationsApi } from "./notifications/NotificationsApi.ts";
import { CampaignEstimateApi } from "./reports/estimates/CampaignEstimateApi.ts";
import { ReportsApi } from "./reports/ReportsApi.ts";
import { SurveyResultsApi } from "./reports/surveys/SurveyResultsApi.ts";
import { UsageApi } from "./reports/usage/UsageApi.ts";
import { DeliveriesApi } from "./sending/deliveries/DeliveriesApi.ts";
import { DeviceMessagesApi } from "./sending/messages/DeviceMessagesApi.ts";
import { ExplanationApi } from "./sending/explanations/ExplanationApi.ts";
import { RecipientsApi } from "./sending/recipients/RecipientsApi.ts";
import { OccurrencesApi } from "./sending/sends/occurrences/OccurrencesApi.ts";
import { SendsApi } from "./sending/sends/SendsApi.ts";
import { PreviewApi } from "./sending/messages/preview/PreviewApi.ts";
import { TestSendsApi } from "./sending/messages/testing/TestSendsApi.ts";
import { WebhooksApi } from "./webhooks/WebhooksApi.ts";
import { tidyOpenApi } from "./wire/OpenApiTidy.ts";
import { parseOptions } from "./wire/ParseOptions.ts";

/** The public REST API of a workspace, the same at both base addresses. */
export class PlatformApi extends HttpApi.make("platform")
  .add(MeApi)
  .add(LocationsApi)
  .add(LocationGroupsApi)
  .add(MediaApi)
  .add(CampaignsApi)
  .add(CopiesApi)
  .add(ExperimentsApi)
  .add(NotificationsApi)
  .add(ContentsApi)
  .add(PreviewApi)
  .add(TestSendsApi)
  .add(SegmentsApi)
  .add(RegisteredDevicesApi)
  .add(DeviceMessagesApi)
  .add(DeviceEventsApi)
  .add(CustomEventsApi)
  .add(ExplanationApi)
  .add(SendsApi)
  .add(OccurrencesApi)
  .add(DeliveriesApi)
  .add(RecipientsApi)
  .add(CampaignEstimateApi)
  .add(ReportsApi)
  .add(SurveyResultsApi)
  .add(WebhooksApi)
  .add(ActivityApi)
  .add(UsageApi)
  .middleware(SchemaErrors)
  .middleware(Access)
  .prefix("/platform/v1")
  .annotateMerge(parseOptions)
  .annotateMerge(
    OpenApi.annotations({
      title: "Waypost platform API",
      version: "1",
      description:
        "Campaigns, notifications, locations, media, segments, devices, sends, deliveries, reports, " +
        "webhooks and activity of one environment of a workspace. Success bodies are wrapped in `data`; " +
        "errors have the shape `{error: {code, message, fields?}}`. The operator calls it with the " +
        "operator key, and names the workspace in the header `Waypost-Workspace`.",
      transform: tidyOpenApi("/platform/v1", [
        { url: "/sandbox/platform/v1", description: "Sandbox" },
        { url: "/platform/v1", description: "Production" },
      ]),
    }),
  ) {}
