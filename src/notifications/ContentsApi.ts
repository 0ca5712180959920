import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { Idempotency } from "../http/Idempotency.ts";
import { IfMatch } from "../http/ResourceVersion.ts";
import { bodyErrors, Conflict, Forbidden, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { Content, Notification } from "./Notification.ts";
import { ContentDraft } from "./NotificationDraft.ts";
import { TriggerDraft } from "./TriggerDraft.ts";
import { campaignPath, notificationPath } from "./NotificationsApi.ts";

const pair = { ...campaignPath, ...notificationPath };

/** The endpoints of the content of notifications, which campaigns share (contract W2). */
export class ContentsApi extends HttpApiGroup.make("contents")
  .add(
    HttpApiEndpoint.post("create", "/notifications", {
      payload: ContentDraft,
      success: Data(Content).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Create content on no campaign")
      .annotate(
        OpenApi.Description,
        "Under the rules and limits of a campaign's notifications, without a trigger. Then attach it to " +
          "any number of campaigns.",
      ),

    HttpApiEndpoint.get("list", "/notifications", {
      query: PageQuery,
      success: PageOf(Content),
      error: [Unprocessable],
    })
      .annotate(Needs, "notifications:read")
      .annotate(OpenApi.Summary, "List contents")
      .annotate(OpenApi.Description, "Newest first, on campaigns or not."),

    HttpApiEndpoint.get("get", "/notifications/:notification", {
      params: notificationPath,
      success: Data(Content),
      error: [NotFound],
    })
      .annotate(Needs, "notifications:read")
      .annotate(OpenApi.Summary, "Show content with its campaigns"),

    HttpApiEndpoint.patch("update", "/notifications/:notification", {
      params: notificationPath,
      payload: ContentDraft,
      success: Data(Content),
      error: [Conflict, NotFound, ...bodyErrors],
    })
      .middleware(IfMatch)
      .middleware(Idempotency)
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Update content on all its campaigns")
      .annotate(
        OpenApi.Description,
        "Replaces the whole content under the rules for creating it: missing optional fields are cleared. " +
          "Triggers are kept.",
      ),

    HttpApiEndpoint.delete("delete", "/notifications/:notification", {
      params: notificationPath,
      success: Deleted,
      error: [NotFound, Unprocessable],
    })
      .middleware(IfMatch)
      .middleware(Idempotency)
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Delete content that is on no campaign")
      .annotate(
        OpenApi.Description,
        "Refused while it is on a campaign: detach it first. What was delivered stays in the reports.",
      ),

    HttpApiEndpoint.post("attach", "/campaigns/:campaign/notifications/:notification/attach", {
      params: pair,
      payload: TriggerDraft,
      success: Data(Notification).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, NotFound, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Attach content to a campaign")
      .annotate(
        OpenApi.Description,
        "It gets a trigger for this campaign, under the rules for triggers. A campaign can have it once.",
      ),

    HttpApiEndpoint.post("detach", "/campaigns/:campaign/notifications/:notification/detach", {
      params: pair,
      success: Data(Content),
      error: [Conflict, NotFound],
    })
      .middleware(Idempotency)
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Detach content from a campaign and keep it")
      .annotate(
        OpenApi.Description,
        "The campaign no longer sends it; its scheduled and running sends are cancelled. The content is " +
          "kept, also if it is on no campaign. Once people are enrolled in its variants it stays: 409.",
      ),
  )
  .annotate(OpenApi.Title, "Contents")
  .annotate(
    OpenApi.Description,
    "The content of notifications, which is created without a campaign and can be shared by several.",
  ) {}
