import { HttpApi, OpenApi } from "effect/http-api";
import { Access } from "./access/Access.ts";
import { MeApi } from "./access/MeApi.ts";
import { ActivityApi } from "./activity/ActivityApi.ts";
import { CampaignsApi } from "./campaigns/CampaignsApi.ts";
import { SchemaErrors } from "./http/SchemaErrors.ts";
import { LocationGroupsApi } from "./locations/LocationGroupsApi.ts";
import { LocationsApi } from "./locations/LocationsApi.ts";
import { MediaApi } from "./media/MediaApi.ts";
import { NotificationsApi } from "./notifications/NotificationsApi.ts";
import { ReportsApi } from "./reports/ReportsApi.ts";
import { SurveyResultsApi } from "./reports/surveys/SurveyResultsApi.ts";
import { tidyOpenApi } from "./wire/OpenApiTidy.ts";

/** The public REST API of a workspace, the same at both base addresses. */
export class PlatformApi extends HttpApi.make("platform")
  .add(MeApi)
  .add(LocationsApi)
  .add(LocationGroupsApi)
  .add(MediaApi)
  .add(CampaignsApi)
  .add(NotificationsApi)
  .add(ReportsApi)
  .add(SurveyResultsApi)
  .add(ActivityApi)
  .middleware(SchemaErrors)
  .middleware(Access)
  .prefix("/platform/v1")
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Waypost platform API",
      version: "1",
      description:
        "Campaigns, notifications, locations, media, reports and activity of one environment of a workspace. Success " +
        "bodies are wrapped in `data`; errors have the shape `{error: {code, message, fields?}}`.",
      transform: tidyOpenApi("/platform/v1", [
        { url: "/platform/v1", description: "Production" },
        { url: "/sandbox/platform/v1", description: "Sandbox" },
      ]),
    }),
  ) {}
