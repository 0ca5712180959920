import { Schema } from "effect";
import { PropertyRule } from "../rules/Rule.ts";
import { nullableInstant, shownId, shownInstant, shownInteger, shownText } from "../wire/ShownFields.ts";
import { contentFields, TemplateLanguage } from "./MessageContent.ts";
import { PushOptions } from "./push/PushOptions.ts";
import { ShownQuestion } from "./Survey.ts";
import { Translations } from "./translations/Translation.ts";
import { Variant } from "./variants/Variant.ts";

/** The kinds of trigger. */
export const TriggerType = Schema.Literals([
  "on_enter",
  "on_exit",
  "on_dwell",
  "fixed_time",
  "on_event",
]).annotate({
  description:
    "A geo campaign's notification is triggered by entering (`on_enter`) or leaving (`on_exit`) a " +
    "location, or by being inside it for some minutes (`on_dwell`); a push campaign's is sent at a " +
    "`fixed_time`; an event campaign's by a custom event (`on_event`).",
  examples: ["on_enter"],
});
export type TriggerType = typeof TriggerType.Type;

const notificationId = shownId("Id of the notification.", "01980a6c-3e77-7a18-b2c4-91d5e6f70a11");

const shown = {
  name: shownText("Internal label, not shown to people.", "Welcome with coffee"),
  ...contentFields,
  media_asset_id: Schema.NullOr(
    shownId("Id of the media file.", "01980a6c-5a20-7b3c-8d11-2e4f6a8c0b91"),
  ).annotate({
    description: "Id of the media file shown; null for none.",
  }),
  questions: Schema.Array(ShownQuestion).annotate({
    description: "The questions of a survey; empty for a message.",
    examples: [[]],
  }),
  template: Schema.NullOr(TemplateLanguage).annotate({
    description: "`liquid` if the texts are templates; null if they are literal.",
    examples: [null],
  }),
  translations: Schema.NullOr(Translations).annotate({
    description: "The texts in other languages, by their tags; null for none.",
    examples: [null],
  }),
  push: Schema.NullOr(PushOptions).annotate({
    description: "How push services deliver and show it; null for their defaults.",
    examples: [null],
  }),
  variants: Schema.Array(Variant).annotate({
    description: "The variants, which shares of people get instead, in the order written; [] for none.",
    examples: [[]],
  }),
};

/** The content of a notification, which can be on several campaigns. */
export const Content = Schema.Struct({
  id: notificationId,
  ...shown,
  campaign_ids: Schema.Array(Schema.String.annotate({ format: "uuid" })).annotate({
    description: "The campaigns that it is on, in the order in which it was attached to them; [] for none.",
    examples: [["01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"]],
  }),
  created_at: shownInstant("When the notification was created, in UTC."),
  updated_at: shownInstant("When its content was last changed, in UTC."),
}).annotate({ identifier: "Content" });
export type Content = typeof Content.Type;

/** A notification of a campaign. */
export const Notification = Schema.Struct({
  id: notificationId,
  campaign_id: shownId("Id of the campaign that it is on.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  ...shown,
  trigger_type: TriggerType,
  trigger_config: Schema.NullOr(
    Schema.Struct({
      send_at: Schema.optionalKey(
        shownText(
          "When it is sent, in the campaign's time zone: YYYY-MM-DD HH:MM; HH:MM of a recurring campaign.",
          "2026-11-25 09:30",
        ),
      ),
      local: Schema.optionalKey(
        Schema.Literal(true).annotate({
          description: "Present if it is sent at that time in the time zone of each device.",
          examples: [true],
        }),
      ),
      late: Schema.optionalKey(
        Schema.Literals(["send", "skip"]).annotate({
          description: "With `local`: whether it goes out at once where the time had passed.",
          examples: ["skip"],
        }),
      ),
      minutes: Schema.optionalKey(shownInteger("Of `on_dwell`: the minutes until it fires.", 10)),
      max_silence_minutes: Schema.optionalKey(
        shownInteger("Of `on_dwell`: the most minutes without a report of the device, if limited.", 5),
      ),
      event: Schema.optionalKey(shownText("Of `on_event`: the name of the event.", "basket.filled")),
      where: Schema.optionalKey(PropertyRule),
      delay_minutes: Schema.optionalKey(
        shownInteger("Of `on_event`: the minutes from the event until it fires, if it waits.", 60),
      ),
      unless_event: Schema.optionalKey(
        shownText("Of `on_event`: the event that stops it while it waits, if any.", "order.placed"),
      ),
    }).annotate({ identifier: "TriggerConfig" }),
  ).annotate({
    description:
      "The time of sending on a push campaign; the minutes of an `on_dwell` trigger; the event of an " +
      "`on_event` trigger; null for `on_enter` " +
      "and `on_exit`.",
    examples: [{ send_at: "2026-11-25 09:30" }],
  }),
  starts_at: nullableInstant(
    "Events before this instant do not trigger it; null for the campaign's own start.",
    "2026-11-25T08:00:00+00:00",
  ),
  ends_at: nullableInstant(
    "Events after this instant do not trigger it; null for the campaign's own end.",
    "2026-11-30T22:59:59+00:00",
  ),
  created_at: shownInstant("When the notification was created, in UTC."),
  updated_at: shownInstant("When its content, or its trigger on this campaign, was last changed, in UTC."),
}).annotate({ identifier: "Notification" });
export type Notification = typeof Notification.Type;
