import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { Idempotency } from "../http/Idempotency.ts";
import { IfMatch } from "../http/ResourceVersion.ts";
import { bodyErrors, Conflict, Forbidden, NotFound } from "../wire/ApiError.ts";
import { Data, Deleted, PageOf } from "../wire/Envelope.ts";
import { shownId } from "../wire/ShownFields.ts";
import { Notification } from "./Notification.ts";
import { NotificationDraft } from "./NotificationDraft.ts";

/** The path parameter of a campaign with notifications. */
export const campaignPath = {
  campaign: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
};
/** The path parameter of a notification. */
export const notificationPath = {
  notification: shownId("Id of the notification.", "01980a6c-3e77-7a18-b2c4-91d5e6f70a11"),
};
const params = { ...campaignPath, ...notificationPath };

/** The endpoints of the notifications of a campaign: their content and their triggers. */
export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("list", "/campaigns/:campaign/notifications", {
      params: campaignPath,
      success: PageOf(Notification),
      error: [NotFound],
    })
      .annotate(Needs, "notifications:read")
      .annotate(OpenApi.Summary, "List a campaign's notifications")
      .annotate(
        OpenApi.Description,
        "All of them together, in the order in which they were attached to the campaign; " +
          "`meta.next_cursor` is always null.",
      ),
    HttpApiEndpoint.post("create", "/campaigns/:campaign/notifications", {
      params: campaignPath,
      payload: NotificationDraft,
      success: Data(Notification).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, NotFound, ...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Add a notification to a campaign")
      .annotate(
        OpenApi.Description,
        "Creates the content and attaches it to the campaign with its trigger. Without an Idempotency-Key " +
          "a retry adds a second one.",
      ),
    HttpApiEndpoint.get("get", "/campaigns/:campaign/notifications/:notification", {
      params,
      success: Data(Notification),
      error: [NotFound],
    })
      .annotate(Needs, "notifications:read")
      .annotate(OpenApi.Summary, "Show a notification")
      .annotate(OpenApi.Description, "The `ETag` is its version: send it as `If-Match` with a change."),
    HttpApiEndpoint.patch("update", "/campaigns/:campaign/notifications/:notification", {
      params,
      payload: NotificationDraft,
      success: Data(Notification),
      error: [Conflict, NotFound, ...bodyErrors],
    })
      .middleware(IfMatch)
      .middleware(Idempotency)
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Update a notification")
      .annotate(
        OpenApi.Description,
        "Replaces the whole notification under the rules for adding one: missing optional fields are " +
          "cleared. The content changes on every campaign that it is on, the trigger on this one. " +
          "Questions and choices keep their answers by their ids; without ids, a question with the same " +
          "text and type, and a choice with the same text, keep theirs.",
      ),
    HttpApiEndpoint.delete("delete", "/campaigns/:campaign/notifications/:notification", {
      params,
      success: Deleted,
      error: [Conflict, NotFound],
    })
      .middleware(IfMatch)
      .middleware(Idempotency)
      .annotate(Needs, "notifications:write")
      .annotate(OpenApi.Summary, "Take a notification off a campaign")
      .annotate(
        OpenApi.Description,
        "Its content is deleted too, once it is on no other campaign. Once people are enrolled in its " +
          "variants it stays: 409.",
      ),
  )
  .annotate(OpenApi.Title, "Notifications")
  .annotate(
    OpenApi.Description,
    "A notification has a content, which people read, and a trigger on each of its campaigns.",
  ) {}
