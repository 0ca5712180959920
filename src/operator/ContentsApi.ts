import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Content, Notification } from "../notifications/Notification.ts";
import { ContentDraft, TriggerDraft } from "../notifications/NotificationDraft.ts";
import {
  Forbidden,
  NotFound,
  PayloadTooLarge,
  Unprocessable,
  UnsupportedMediaType,
} from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { environmentPath, idInPath } from "./OperatorPath.ts";

const params = { ...environmentPath, notification: idInPath("notification") };
const pair = { ...environmentPath, campaign: idInPath("campaign"), notification: idInPath("notification") };

/** What notifications say, apart from campaigns, and on which campaigns it is. */
export class ContentsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.post("create", "/workspaces/:workspace/:env/notifications", {
      params: environmentPath,
      payload: ContentDraft,
      success: Data(Content).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, NotFound, PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Create content on no campaign")
      .annotate(
        OpenApi.Description,
        "Under the rules and limits of the platform API's notifications, without a trigger. Attach it to as many campaigns as " +
          "are to send it.",
      ),

    HttpApiEndpoint.get("list", "/workspaces/:workspace/:env/notifications", {
      params: environmentPath,
      query: PageQuery,
      success: PageOf(Content),
      error: [NotFound, Unprocessable],
    })
      .annotate(OpenApi.Summary, "List contents")
      .annotate(OpenApi.Description, "Newest first: those on campaigns and those on none."),

    HttpApiEndpoint.get("get", "/workspaces/:workspace/:env/notifications/:notification", {
      params,
      success: Data(Content),
      error: [NotFound],
    }).annotate(OpenApi.Summary, "Show content with its campaigns"),

    HttpApiEndpoint.patch("update", "/workspaces/:workspace/:env/notifications/:notification", {
      params,
      payload: ContentDraft,
      success: Data(Content),
      error: [NotFound, PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Update content on all its campaigns")
      .annotate(
        OpenApi.Description,
        "Resubmits the whole content under the rules of creating it: optional fields left out are cleared. Triggers stay.",
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
        error: [Forbidden, NotFound, PayloadTooLarge, UnsupportedMediaType, Unprocessable],
      },
    )
      .annotate(OpenApi.Summary, "Put content on a campaign")
      .annotate(
        OpenApi.Description,
        "With a trigger of its own on this campaign, under the platform API's rules for triggers. Once on each campaign.",
      ),

    HttpApiEndpoint.post(
      "detach",
      "/workspaces/:workspace/:env/campaigns/:campaign/notifications/:notification/detach",
      { params: pair, success: Data(Content), error: [NotFound] },
    )
      .annotate(OpenApi.Summary, "Take content off a campaign and keep it")
      .annotate(
        OpenApi.Description,
        "The campaign sends it no more, and what it was about to send of it is cancelled. The content stays, also on no campaign.",
      ),
  )
  .annotate(OpenApi.Title, "Notifications")
  .annotate(
    OpenApi.Description,
    "What notifications say: made apart from campaigns, and shared by several.",
  ) {}
