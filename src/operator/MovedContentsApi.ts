import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Content, Notification } from "../notifications/Notification.ts";
import { ContentDraft, TriggerDraft } from "../notifications/NotificationDraft.ts";
import { bodyErrors, Forbidden, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { environmentPath, idInPath } from "./OperatorPath.ts";

const params = { ...environmentPath, notification: idInPath("notification") };
const pair = { ...environmentPath, campaign: idInPath("campaign"), notification: idInPath("notification") };

/** The endpoints of the content of notifications, which campaigns share. */
export class MovedContentsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.post("create", "/workspaces/:workspace/:env/notifications", {
      params: environmentPath,
      payload: ContentDraft,
      success: Data(Content).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Create content on no campaign")
      .annotate(
        OpenApi.Description,
        "Under the rules and limits of the platform API's notifications, without a trigger. Then attach it " +
          "to any number of campaigns.",
      ),

    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/notifications", {
      params: environmentPath,
      query: PageQuery,
      success: PageOf(Content),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "List contents")
      .annotate(OpenApi.Description, "Newest first, on campaigns or not."),

    HttpApiEndpoint.get("get", "/workspaces/:workspace/:env/notifications/:notification", {
      params,
      success: Data(Content),
      error: [NotFound],
    }).annotate(OpenApi.Summary, "Show content with its campaigns"),

    HttpApiEndpoint.patch("update", "/workspaces/:workspace/:env/notifications/:notification", {
      params,
      payload: ContentDraft,
      success: Data(Content),
      error: [NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Update content on all its campaigns")
      .annotate(
        OpenApi.Description,
        "Replaces the whole content under the rules for creating it: missing optional fields are cleared. " +
          "Triggers are kept.",
      ),

    HttpApiEndpoint.delete("delete", "/workspaces/:workspace/:env/notifications/:notification", {
      params,
      success: Deleted,
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Delete content that is on no campaign")
      .annotate(
        OpenApi.Description,
        "Refused while it is on a campaign: detach it first. What was delivered stays in the reports.",
      ),

    HttpApiEndpoint.post(
      "attach",
      "/workspaces/:workspace/:env/campaigns/:campaign/notifications/:notification/attach",
      {
        params: pair,
        payload: TriggerDraft,
        success: Data(Notification).pipe(HttpApiSchema.status(201)),
        error: [Forbidden, NotFound, ...bodyErrors],
      },
    )
      .annotate(OpenApi.Summary, "Attach content to a campaign")
      .annotate(
        OpenApi.Description,
        "It gets a trigger for this campaign, under the platform API's rules for triggers. A campaign can " +
          "have it once.",
      ),

    HttpApiEndpoint.post(
      "detach",
      "/workspaces/:workspace/:env/campaigns/:campaign/notifications/:notification/detach",
      { params: pair, success: Data(Content), error: [NotFound] },
    )
      .annotate(OpenApi.Summary, "Detach content from a campaign and keep it")
      .annotate(
        OpenApi.Description,
        "The campaign no longer sends it; its scheduled and running sends are cancelled. The content is " +
          "kept, also if it is on no campaign.",
      ),
  )
  .annotate(OpenApi.Title, "Notifications")
  .annotate(
    OpenApi.Description,
    "The content of notifications, which is created without a campaign and can be shared by several.",
  ) {}
