import { Schema } from "effect";
import { unstorable } from "../wire/Text.ts";
import { Device } from "../devices/Device.ts";
import { CustomEvent } from "../events/custom/CustomEvent.ts";
import {
  nullableId,
  nullableInstant,
  nullableText,
  shownId,
  shownInstant,
  shownText,
} from "../wire/ShownFields.ts";
import { shownInteger } from "../wire/ShownFields.ts";

const exampleId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const deviceId = shownId("The device.", exampleId);

const PersonDevice = Schema.Struct({
  ...Device.fields,
  address: Schema.Json.annotate({
    description: "Its push address; null for an inbox.",
    examples: [{ token: "dGhpcyBpcyBub3QgYSB0b2tlbg" }],
  }),
  unregistered_at: nullableInstant("When it unregistered; null if it has not.", "2026-11-21T09:30:00+00:00"),
});

const PersonMessage = Schema.Struct({
  id: shownId("Id of the message.", exampleId),
  device_id: deviceId,
  campaign_id: shownId("The campaign.", exampleId),
  notification_id: shownId("The notification.", exampleId),
  location_id: nullableId("The location of the event; null for a send.", exampleId),
  trigger_type: shownText("Its trigger.", "on_enter"),
  transport: shownText("How it was sent.", "fcm"),
  status: shownText("Its status, as of deliveries.", "delivered"),
  attempts: shownInteger("How often it was sent.", 1),
  last_error: nullableText("Its last error; null for none.", "The push service was not reached."),
  headline: shownText("Its headline.", "Welcome"),
  body: shownText("Its text.", "Coffee is on us today."),
  created_at: shownInstant("When it was made, in UTC."),
  delivered_at: nullableInstant("When it was delivered.", "2026-11-21T09:30:00+00:00"),
  opened_at: nullableInstant("When it was opened.", "2026-11-21T09:31:00+00:00"),
  clicked_at: nullableInstant("When it was clicked.", "2026-11-21T09:31:00+00:00"),
  variant: nullableText("Its variant; null for none.", "control"),
});

const PersonAnswers = Schema.Struct({
  device_id: deviceId,
  campaign_id: shownId("The campaign.", exampleId),
  notification_id: shownId("The survey.", exampleId),
  first_answered_at: shownInstant("When the device answered first, in UTC."),
  answered_at: shownInstant("When it answered last, in UTC."),
  answers: Schema.Array(
    Schema.Struct({
      question_id: shownId("The question.", exampleId),
      question_text: nullableText("Its text.", "What brought you here?"),
      value: Schema.Json.annotate({ description: "The answer; of a choice its id.", examples: ["Bread"] }),
      choices: Schema.NullOr(Schema.Array(Schema.String)).annotate({
        description: "The texts of the choices; null for another answer.",
        examples: [["Bread"]],
      }),
    }),
  ).annotate({ description: "The answers." }),
});

const PersonEvent = Schema.Struct({
  id: shownId("The device's own id of the event.", exampleId),
  device_id: deviceId,
  type: shownText("`enter` or `exit`.", "enter"),
  location_id: nullableId("The location.", exampleId),
  occurred_at: shownInstant("When it happened, in UTC."),
  received_at: shownInstant("When it was reported, in UTC."),
});

const PersonCustomEvent = Schema.Struct({
  id: shownId("The sender's own id of the event.", exampleId),
  device_id: nullableId("The device; null for an event of the person.", exampleId),
  name: shownText("Its name.", "basket.filled"),
  properties: CustomEvent.fields.properties,
  occurred_at: shownInstant("When it happened, in UTC."),
  received_at: shownInstant("When it was reported, in UTC."),
});

const PersonEnrolment = Schema.Struct({
  campaign_id: shownId("The campaign.", exampleId),
  notification_id: nullableId("The notification; null for the campaign alone.", exampleId),
  device_id: nullableId("The device, enrolled without its person; null for the person.", exampleId),
  arm: shownText("The variant, or `control`; of the campaign alone `holdout` or `all`.", "holdout"),
  enrolled_at: shownInstant("When it was enrolled, in UTC."),
  converted_at: nullableInstant("When it converted; null if it has not.", "2026-11-21T09:31:00+00:00"),
});

const PersonPosition = Schema.Struct({
  device_id: deviceId,
  recorded_at: nullableInstant("When its last position was recorded.", "2026-11-21T09:30:00+00:00"),
  inside: Schema.Array(Schema.String).annotate({
    description: "The ids of the locations it was in last.",
    examples: [[exampleId]],
  }),
});

/** The id of a person in a path, as it is stored; null for a text that cannot be one. */
export const personIn = (text: string): string | null => {
  const userId = text.trim();
  return userId === "" || unstorable(userId) !== null ? null : userId;
};

/** Everything that is held about a person. */
export const Person = Schema.Struct({
  user_id: shownText("The person.", "customer-4711"),
  devices: Schema.Array(PersonDevice).annotate({ description: "Devices, also unregistered ones." }),
  messages: Schema.Array(PersonMessage).annotate({ description: "Messages to them." }),
  answers: Schema.Array(PersonAnswers).annotate({ description: "Answers to surveys." }),
  events: Schema.Array(PersonEvent).annotate({ description: "Enters and exits that are not compacted." }),
  custom_events: Schema.Array(PersonCustomEvent).annotate({ description: "Their custom events." }),
  enrolments: Schema.Array(PersonEnrolment).annotate({ description: "Their arms of experiments." }),
  positions: Schema.Array(PersonPosition).annotate({ description: "Their last positions." }),
}).annotate({ identifier: "Person" });

/** The response to an erasure. */
export const Erasure = Schema.Struct({
  devices: shownInteger("How many devices were erased; 0 if there was nothing to erase.", 2),
}).annotate({ identifier: "Erasure" });
