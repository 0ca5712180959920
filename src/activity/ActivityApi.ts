import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { Unprocessable } from "../wire/ApiError.ts";
import { PageOf, PageQuery } from "../wire/Envelope.ts";
import { ActivityEntry } from "./ActivityEntry.ts";
import { activityFilters } from "./ActivityFilters.ts";

/** The endpoint of activity. `ActivityHttp` handles it. */
export class ActivityApi extends HttpApiGroup.make("activity")
  .add(
    HttpApiEndpoint.get("list", "/activity", {
      query: { ...PageQuery, ...activityFilters },
      success: PageOf(ActivityEntry),
      error: [Unprocessable],
    })
      .annotate(Needs, "activity:read")
      .annotate(OpenApi.Summary, "List activity")
      .annotate(
        OpenApi.Description,
        "The changes of the last 400 days by any interface, newest first: who changed what, and how.",
      ),
  )
  .annotate(OpenApi.Title, "Activity")
  .annotate(OpenApi.Description, "Who changed what in this environment.") {}
