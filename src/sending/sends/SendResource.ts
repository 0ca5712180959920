import { Schema } from "effect";
import {
  nullableInstant,
  nullableInteger,
  nullableText,
  shownId,
  shownInstant,
  shownInteger,
  shownText,
} from "../../wire/ShownFields.ts";
import { SendStatus } from "./Send.ts";

/** The devices of a send at a local time in whose zones the time comes at one instant. */
const SendPart = Schema.Struct({
  due_at: shownInstant("When the time comes in these zones, in UTC.", "2026-11-27T08:30:00+00:00"),
  targeted: shownInteger("Devices that it has a delivery for so far.", 400),
  delivered: shownInteger("How many of them the message was delivered to.", 396),
  failed: shownInteger("How many of them it could not be delivered to.", 4),
  status: SendStatus,
}).annotate({ identifier: "SendPart" });
/** One part of a send at a local time, as the API shows it (contract P3). */
export type SendPart = typeof SendPart.Type;

const sendFields = {
  id: shownId(
    "Id of the send; moving it to another time keeps the id.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b61",
  ),
  campaign_id: shownId("Its campaign, also if that is deleted.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62"),
  campaign_name: nullableText("The name of its campaign; null if that is deleted.", "Opening week"),
  notification_id: shownId(
    "The notification that it sends, also if that is deleted.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b63",
  ),
  notification_name: nullableText(
    "The name of that notification; null if it is deleted.",
    "Welcome with coffee",
  ),
  occurrence: nullableText(
    "Of a recurring campaign the date that it is of, in the campaign's time zone; null for others.",
    "2026-11-27",
  ),
  due_at: shownInstant(
    "When it is due, in UTC; of a send at a local time, when its first part is.",
    "2026-11-27T08:30:00+00:00",
  ),
  status: SendStatus,
  targeted: shownInteger(
    "Devices that it has a delivery for so far; those that a frequency cap excludes have none.",
    1200,
  ),
  delivered: shownInteger("How many of them the message was delivered to.", 1187),
  failed: shownInteger("How many of them it could not be delivered to.", 13),
  held: shownInteger(
    "How many of them quiet hours have held, without an outcome yet. A send can be done before.",
    0,
  ),
  dropped: shownInteger("Devices that got none because of their quiet hours; not in `targeted`.", 0),
  started_at: nullableInstant("When it started; null if it has not.", "2026-11-27T08:30:00+00:00"),
  finished_at: nullableInstant(
    "When it was done, skipped, missed or cancelled; null until then.",
    "2026-11-27T08:30:04+00:00",
  ),
  pace: nullableInteger(
    "The most deliveries a minute now, of its campaign or its workspace, whichever is less; null for none.",
    60_000,
  ),
  estimated_finish_at: nullableInstant(
    "Of a running send with a pace: when it will be done by that, in UTC; null for others.",
    "2026-11-27T08:35:00+00:00",
  ),
  parts: Schema.NullOr(Schema.Array(SendPart)).annotate({
    description:
      "Of a send at a local time its parts in order of time; null for others. Those to come follow from " +
      "the time zones of the devices that are registered now.",
    examples: [null],
  }),
};

/** One send of a notification of a push campaign in the platform API and the operator interface. */
export const SendResource = Schema.Struct(sendFields).annotate({ identifier: "Send" });
export type SendResource = typeof SendResource.Type;

/** The most reasons of failures that one send shows. */
export const maxFailureReasons = 50;

/** Failed deliveries of a send with the same reason. */
export const SendFailure = Schema.Struct({
  reason: shownText("Why they failed.", "No credentials are set for fcm in this environment."),
  deliveries: shownInteger("How many failed for it.", 13),
}).annotate({ identifier: "SendFailure" });
export type SendFailure = typeof SendFailure.Type;

/** One send with the reasons of its failures. */
export const SendDetail = Schema.Struct({
  ...sendFields,
  failures: Schema.Array(SendFailure).annotate({
    description:
      "Its failed deliveries by reason, the most frequent first, up to 50 reasons. Deliveries past their " +
      "retention are not counted here.",
  }),
}).annotate({ identifier: "SendDetail" });
export type SendDetail = typeof SendDetail.Type;
