import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { ActivityEntry } from "../../activity/ActivityEntry.ts";
import { activityFilters } from "../../activity/ActivityFilters.ts";
import { NotFound, Unprocessable } from "../../wire/ApiError.ts";
import { PageOf, PageQuery } from "../../wire/Envelope.ts";
import { environmentPath } from "../OperatorPath.ts";

/** The endpoint of activity in the operator interface. */
export class ActivityListApi extends HttpApiGroup.make("activity")
  .add(
    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/activity", {
      params: environmentPath,
      query: { ...PageQuery, ...activityFilters },
      success: PageOf(ActivityEntry),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "List activity")
      .annotate(
        OpenApi.Description,
        "The changes of the last 400 days by any interface, newest first: who changed what, and how. Those " +
          "of the workspace itself are in the lists of both environments.",
      ),
  )
  .annotate(OpenApi.Title, "Activity")
  .annotate(OpenApi.Description, "Who changed what in an environment.") {}
