import { EventName } from "../../wire/EventName.ts";
import { Schema } from "effect";
import { EventProperties, propertiesProblem, type Properties } from "../../notifications/EventFacts.ts";
import { DAY_MS } from "../../time/DayNumbers.ts";
import { describedInstant } from "../../time/Instant.ts";
import { asSent, inParts } from "../../wire/Parts.ts";
import { readPart } from "../../wire/PartReader.ts";
import { Problems } from "../../wire/Problems.ts";
import { nullableId, nullableText, shownId, shownInstant } from "../../wire/ShownFields.ts";
import { optionalOrNull, text, Uuid } from "../../wire/Text.ts";
import { type EventReading, timeProblem } from "../Transition.ts";

/** How many devices of a person an event can reach: those that were seen last (contract TR3). */
export const maxPersonDevices = 100;

const head = {
  id: Uuid.annotate({
    description:
      "The sender's own id of the event. An event of the same person, or of the same device without one, " +
      "with the same id is a duplicate.",
    examples: ["7d1c54de-3c1b-4a57-9a0e-b21f6a3f2c11"],
  }),
  name: EventName,
};

const occurredAt = describedInstant(
  "When it happened, as an ISO 8601 date-time; not over 90 days back, nor over 5 minutes ahead.",
);

/** The object itself is checked, so that no name of a property has another meaning. */
const checkProperties = ({ properties }: { readonly properties?: unknown }, problems: Problems): void => {
  const problem = propertiesProblem(properties ?? {});
  if (problem !== null) problems.add("properties", problem);
};

/** Something that happened, as a device reports it. */
export const CustomEventReport = Schema.Struct({
  ...head,
  type: Schema.Literal("custom").annotate({ description: "`custom`.", examples: ["custom"] }),
  properties: optionalOrNull(asSent(EventProperties)),
  occurred_at: occurredAt,
})
  .annotate({ identifier: "CustomEventReport" })
  .pipe(inParts(checkProperties));

/** Something that happened, as a server reports it. */
export const CustomEventDraft = Schema.Struct({
  ...head,
  device_id: optionalOrNull(
    Uuid.annotate({
      description: "Id of the device that it is of; either this or `user_id`.",
      examples: ["01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"],
    }),
  ),
  user_id: optionalOrNull(
    text({
      max: 255,
      description: "The app's id of the person that it is of, who has a registered device.",
      example: "customer-8151",
    }),
  ),
  properties: optionalOrNull(asSent(EventProperties)),
  occurred_at: optionalOrNull(occurredAt),
})
  .annotate({ identifier: "CustomEventDraft" })
  .pipe(inParts(checkProperties));

/** A custom event in the platform API. */
export const CustomEvent = Schema.Struct({
  id: shownId("The sender's own id of the event.", "7d1c54de-3c1b-4a57-9a0e-b21f6a3f2c11"),
  device_id: nullableId(
    "Id of the device that it is of; null for an event of a person.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60",
  ),
  user_id: nullableText(
    "The app's id of the person behind the device when the event came; null for none.",
    "customer-8151",
  ),
  name: EventName,
  properties: EventProperties,
  occurred_at: shownInstant("When it happened, in UTC."),
  received_at: shownInstant("When it was received, in UTC."),
}).annotate({ identifier: "CustomEvent" });
export type CustomEvent = typeof CustomEvent.Type;

/** An event that was read. `occurred_at` in epoch milliseconds; a server may leave it out. */
export interface ReadCustomEvent {
  readonly id: string;
  readonly name: string;
  readonly properties: Properties;
  readonly occurred_at?: number | null;
  readonly device_id?: string | null;
  readonly user_id?: string | null;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Whether an event of a device's report is a custom one. */
export const isCustom = (input: unknown): boolean =>
  isObject(input) && "type" in input && input.type === "custom";

/** Reads one event of a request, with all its problems: of a device, or of a server (`isDraft`). */
export const readCustomEvent = (
  input: unknown,
  now: number,
  keptDays: number,
  isDraft: boolean,
): EventReading<ReadCustomEvent> => {
  const problems = new Problems();
  const event = readPart(isDraft ? CustomEventDraft : CustomEventReport, input, problems);
  if (event === undefined || !problems.isEmpty) return { reasons: Object.values(problems.fields).flat() };
  return {
    event: { ...event, properties: event.properties ?? {} } as ReadCustomEvent,
    problem: timeProblem(event.occurred_at ?? now, now, "event", keptDays * DAY_MS),
  };
};
