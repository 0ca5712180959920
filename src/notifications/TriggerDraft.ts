import { Schema } from "effect";
import { PropertyRule } from "../rules/Rule.ts";
import { TimeOfDay, WallTime } from "../time/LocalTime.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { type Readable, sentAs } from "../wire/Parts.ts";
import { shownText } from "../wire/ShownFields.ts";
import { flag, optionalOrNull, whole } from "../wire/Text.ts";
import { EventName } from "../wire/EventName.ts";
import { TriggerType } from "./Notification.ts";

const timeSentence =
  "The {field} must be a time from 00:00 to 23:59, written HH:MM (or YYYY-MM-DD HH:MM on the campaign's " +
  "day).";
const isTimeOfDay = Schema.is(TimeOfDay);
const isWallTime = Schema.is(WallTime);

const sendAt = shownText(
  "When it is sent: HH:MM on the campaign's day, or on each of its days, in the campaign's time zone. Not " +
    "in the past, unless the campaign recurs; with `local`, not in the past everywhere in the world.",
  "09:30",
).check(
  Schema.makeFilter((sent: string) => {
    const time = sent.trim();
    return isTimeOfDay(time) || (time.length > 10 && isWallTime(time)) ? true : timeSentence;
  }),
);

const minutes = (description: string, example: number) =>
  Schema.optionalKey(Schema.NullOr(whole({ min: 1, max: 1440, description, example })));

const window = (description: string, example: string) =>
  Schema.optionalKey(Schema.NullOr(WallTime.annotate({ description, examples: [example as WallTime] })));

/** The fields of a trigger. */
export const trigger = {
  trigger_type: TriggerType,
  trigger_config: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        send_at: Schema.optionalKey(Schema.NullOr(sendAt)),
        local: Schema.optionalKey(
          Schema.NullOr(
            flag("Send it at that time in the time zone of each device, else in the campaign's.", true),
          ),
        ),
        late: Schema.optionalKey(
          Schema.NullOr(
            Schema.Literals(["send", "skip"]).annotate({
              description:
                "With `local`: where the time has passed, `send` it at once or `skip` it (the default).",
              examples: ["skip"],
            }),
          ),
        ),
        minutes: minutes(
          "Of `on_dwell`, which requires it: it fires once a device has been inside for so many minutes " +
            "without an exit.",
          10,
        ),
        max_silence_minutes: minutes(
          "Of `on_dwell`: it does not fire for a device that has reported no event and no position in the " +
            "last minutes; null for no limit.",
          5,
        ),
        event: optionalOrNull(
          EventName.annotate({
            description: "Of `on_event`, which requires it: the name of the event that triggers it.",
            examples: ["basket.filled"],
          }),
        ),
        where: optionalOrNull(PropertyRule),
        delay_minutes: optionalOrNull(
          whole({
            min: 0,
            max: 43_200,
            description: "Of `on_event`: the minutes from the event until it fires; left out or 0: at once.",
            example: 60,
          }),
        ),
        unless_event: optionalOrNull(
          EventName.annotate({
            description:
              "Of `on_event` with a delay: it does not fire if the same person, or device without one, has " +
              "this event meanwhile.",
            examples: ["order.placed"],
          }),
        ),
      }).annotate({
        identifier: "TriggerConfigDraft",
        message: "The {field} must be an object or null.",
      }),
    )
      .annotate({
        description:
          "The time of sending of a push campaign's notification, the minutes of an `on_dwell` trigger, " +
          "or the event of an `on_event` trigger; none for `on_enter` and `on_exit`.",
        examples: [{ send_at: "09:30" }],
      })
      // An empty array counts as none (contract F2): some clients send one for an empty object.
      .pipe(sentAs((sent: unknown) => (Array.isArray(sent) && sent.length === 0 ? null : sent))),
  ),
  starts_at: window(
    "Start of a window within a geo campaign, in its time zone: YYYY-MM-DD (00:00 that day) or YYYY-MM-DD " +
      "HH:MM.",
    "2026-11-25 09:00",
  ),
  ends_at: window(
    "End of a window within a geo campaign, in its time zone: YYYY-MM-DD (the end of that day) or " +
      "YYYY-MM-DD HH:MM.",
    "2026-11-30",
  ),
};

/** The trigger of a notification on one campaign. */
export const TriggerDraft = Schema.Struct(trigger).annotate({ identifier: "TriggerDraft" });
export type TriggerDraft = typeof TriggerDraft.Type;

/** A parsed trigger. */
export type TriggerBody = ParsedBody<TriggerDraft, Readable<TriggerDraft>>;
