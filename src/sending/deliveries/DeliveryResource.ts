import { Schema } from "effect";
import { Transport } from "../../devices/PushAddress.ts";
import { cutFields } from "../push/PushPayload.ts";
import { TriggerType } from "../../notifications/Notification.ts";
import { nullableId, nullableInstant, nullableText, shownId, shownInteger } from "../../wire/ShownFields.ts";
import { flag, Timestamp } from "../../wire/Text.ts";

/** The states of a delivery. */
export const DeliveryState = Schema.Literals([
  "held",
  "queued",
  "handed_over",
  "delivered",
  "failed",
]).annotate({
  description:
    "`held`: until the quiet hours of its device end; `queued`: to be sent; `handed_over`: sent to " +
    "the push service, which has not answered; `delivered`: accepted by the push service; " +
    "`failed`: refused for good, or never answered.",
  examples: ["delivered"],
});

/** One message to one device. */
export const DeliveryResource = Schema.Struct({
  id: shownId("Id of the delivery, and of the device's message.", "00000000-0000-8001-8000-000000000001"),
  send_id: nullableId(
    "The send that it belongs to; null if an event triggered it.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b61",
  ),
  campaign_id: shownId("Its campaign, also if that is deleted.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62"),
  notification_id: shownId(
    "Its notification, also if that is deleted.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b63",
  ),
  device_id: shownId("Its device, also if that has unregistered.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b64"),
  trigger_type: TriggerType,
  location_id: nullableId(
    "The location of the event that triggered it, also if that is deleted; null for a fixed time.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b65",
  ),
  transport: Transport,
  status: DeliveryState,
  attempts: shownInteger("How often it was sent to the push service.", 1),
  last_error: nullableText(
    "The last error; null for none.",
    "No credentials are set for fcm in this environment.",
  ),
  cut: Schema.Array(Schema.Literals(cutFields)).annotate({
    description:
      "The fields that were shortened or left out of its push to fit the limit of the push service: " +
      "`body`, `data`, `notification` (the declarative part of Web Push), `actions` and, last, `media`, " +
      "`cta_label`, `cta_url` and `headline`; [] for nothing.",
    examples: [[]],
  }),
  test: flag("Whether it is a test send, which counts in no report, cap or interaction.", false),
  created_at: Timestamp,
  held_until: nullableInstant(
    "When the quiet hours end that held it; null if none did.",
    "2026-11-22T07:00:00+00:00",
  ),
  delivered_at: nullableInstant(
    "When the push service or the inbox accepted it; null if neither did.",
    "2026-11-21T09:30:01+00:00",
  ),
  variant: nullableText(
    "The variant of the notification that it was made for, `control` included; null without variants, and " +
      "after the experiment was stopped.",
    "question",
  ),
}).annotate({ identifier: "Delivery" });
export type DeliveryResource = typeof DeliveryResource.Type;
