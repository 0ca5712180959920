import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../../access/Access.ts";
import { alsoAsCsv } from "../../http/csv/CsvParameters.ts";
import { NotFound, Unprocessable } from "../../wire/ApiError.ts";
import { PageOf, PageQuery } from "../../wire/Envelope.ts";
import { exactParameter } from "../../wire/SearchText.ts";
import { nullableId, nullableInstant, nullableText, shownId, shownInstant } from "../../wire/ShownFields.ts";
import { flag } from "../../wire/Text.ts";
import { DeliveryState } from "../deliveries/DeliveryResource.ts";

/** The outcome of a message for a recipient. */
export const RecipientOutcome = Schema.Literals([
  "delivered",
  "opened",
  "clicked",
  "answered",
  "held",
  "failed",
  "queued",
]).annotate({
  description:
    "Only recipients with this outcome. One who clicked has opened, too; `held`: by quiet hours; `queued`: " +
    "to be sent, or sent to a push service that has not answered. Left out: all.",
  examples: ["opened"],
});
export type RecipientOutcome = typeof RecipientOutcome.Type;

/** A message of a campaign to a device, and what came of it. */
export const CampaignRecipient = Schema.Struct({
  device_id: nullableId(
    "Its device, also if that has unregistered; null once it is erased.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b64",
  ),
  installation_id: nullableText("The app's own id of the installation; null once it is erased.", "5f0c1b1e"),
  user_id: nullableText("The person behind the device now; null for none.", "ada@example.com"),
  notification_id: shownId(
    "The notification, also if that is deleted.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b63",
  ),
  delivery_id: shownId(
    "Id of the delivery, and of the device's message.",
    "00000000-0000-8001-8000-000000000001",
  ),
  status: DeliveryState,
  reason: nullableText(
    "Why it is held, failed or not delivered yet, as a sentence; null if nothing is known to prevent it.",
    "No credentials are set for fcm in this environment.",
  ),
  at: shownInstant("When it was delivered or failed; until then, when it was made."),
  opened_at: nullableInstant("When it was opened first.", "2026-11-21T09:31:00+00:00"),
  clicked_at: nullableInstant("When its button was clicked first.", "2026-11-21T09:31:10+00:00"),
  answered_at: nullableInstant(
    "When the device last answered the survey, if that was after this message was made.",
    "2026-11-21T09:32:00+00:00",
  ),
  test: flag("Whether it is a test send, which counts in no report, cap or interaction.", false),
}).annotate({ identifier: "CampaignRecipient" });
export type CampaignRecipient = typeof CampaignRecipient.Type;

/** The endpoint of the recipients of a campaign (contract CO5). */
export class RecipientsApi extends HttpApiGroup.make("recipients")
  .add(
    HttpApiEndpoint.get("list", "/campaigns/:campaign/recipients", {
      params: { campaign: shownId("Id of the campaign.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62") },
      query: {
        ...PageQuery,
        outcome: Schema.optionalKey(RecipientOutcome),
        q: exactParameter(
          "Only devices whose installation id or user id has this part, in any letter case.",
          "5f0c",
        ),
      },
      success: PageOf(CampaignRecipient),
      error: [NotFound, Unprocessable],
    })
      .annotate(Needs, "sends:read")
      .annotate(OpenApi.Transform, alsoAsCsv)
      .annotate(OpenApi.Summary, "List whom a campaign has reached, and what came of it")
      .annotate(OpenApi.Description, "One for each delivery, newest first by its send or event."),
  )
  .annotate(OpenApi.Title, "Recipients")
  .annotate(OpenApi.Description, "The devices that a campaign has messages for.") {}
