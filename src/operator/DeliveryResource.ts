import { Schema } from "effect";
import { Transport } from "../devices/PushAddress.ts";
import { TriggerType } from "../notifications/Notification.ts";
import { Timestamp } from "../wire/Text.ts";

const id = (description: string, example: string) =>
  Schema.String.annotate({ description, format: "uuid", examples: [example] });
const idOrNone = (description: string, example: string) =>
  Schema.NullOr(id(description, example)).annotate({ description, examples: [example] });

/** Where a delivery stands. */
export const DeliveryState = Schema.Literals(["queued", "handed_over", "delivered", "failed"]).annotate({
  description:
    "`queued`: to be sent; `handed_over`: with the push service, whose answer is not known; `delivered`: it took the message; " +
    "`failed`: it refused for good, or never answered.",
  examples: ["delivered"],
});

/** One message to one device, as the operator sees it. */
export const ShownDelivery = Schema.Struct({
  id: id("Id of the delivery, and of the device's message.", "00000000-0000-8001-8000-000000000001"),
  send_id: idOrNone(
    "The send that set it off; null if an event did.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b61",
  ),
  campaign_id: id(
    "The campaign that it was for, also if that is deleted.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62",
  ),
  notification_id: id(
    "The notification that it carried, also if that is deleted.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b63",
  ),
  device_id: id(
    "The device that it was for, also if that unregistered.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b64",
  ),
  trigger_type: TriggerType,
  location_id: idOrNone(
    "Where the event was that set it off; also if that is deleted; null for a fixed time.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b65",
  ),
  transport: Transport,
  status: DeliveryState,
  attempts: Schema.Int.annotate({
    description: "How often the push service was asked.",
    examples: [1],
  }),
  last_error: Schema.NullOr(Schema.String).annotate({
    description: "What went wrong last; null if nothing did.",
    examples: ["No credentials are set for fcm in this environment."],
  }),
  created_at: Timestamp,
  delivered_at: Schema.NullOr(Timestamp).annotate({
    description: "When the push service took it, or the inbox had it; null if neither did.",
    examples: ["2026-11-21T09:30:01+00:00"],
  }),
}).annotate({ identifier: "Delivery" });
export type ShownDelivery = typeof ShownDelivery.Type;
