import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { DeviceAccess } from "../devices/DeviceAccess.ts";
import { Message } from "../sending/rendering/Message.ts";
import { PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../wire/ApiError.ts";
import { Data } from "../wire/Envelope.ts";
import { sentList } from "../wire/Parts.ts";
import { CustomEventReport } from "./custom/CustomEvent.ts";
import { Transition } from "./Transition.ts";
import { shownInteger } from "../wire/ShownFields.ts";

/** Request body. */
export const EventsBody = Schema.Struct({
  events: sentList(Schema.Union([Transition, CustomEventReport]), 100, "events").annotate({
    description: "1 to 100 events, in any order: enters and exits of locations, and custom events.",
  }),
}).annotate({ identifier: "TransitionReport" });
export type EventsBody = typeof EventsBody.Type;

/** The fields of an answer with messages whose request may not be worked whole (contract TR1). */
export const laterFields = (nouns: "events" | "positions", again: string) => ({
  deliveries: Schema.Array(Message).annotate({
    description:
      `The messages that the ${nouns} triggered, silent ones first: at most 1,000, and about 1 MB. ` +
      "`delivered_at` is null for pushes still being sent.",
  }),
  more: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "Present if they triggered more messages, which are in the inbox.",
      examples: [true],
    }),
  ),
  later: Schema.optionalKey(
    Schema.Array(Schema.Int).annotate({
      description:
        `Indexes of the ${nouns} for which the request had no time or the device no limit left, ascending; ` +
        `left out for none. They were neither accepted nor rejected: send them again, ${again}.`,
      examples: [[98, 99]],
    }),
  ),
});

/** The entries of a request that were rejected. */
export const rejectedEntries = (noun: "event" | "position", example: string, description: string) =>
  Schema.Array(
    Schema.Struct({
      index: shownInteger(`Index of the ${noun} in the request, from 0.`, 1),
      reasons: Schema.Array(Schema.String).annotate({
        description: `The problems of the ${noun}.`,
        examples: [[example]],
      }),
    }),
  ).annotate({ description });

/** Response. */
export const EventsOutcome = Schema.Struct({
  accepted: shownInteger("New events; they were recorded.", 2),
  duplicates: shownInteger("Events that were recorded before; they changed nothing.", 0),
  rejected: rejectedEntries(
    "event",
    "There is no location with this id in this workspace and environment.",
    "Events that were not recorded, and why.",
  ),
  ...laterFields("events", "with the same ids"),
}).annotate({ identifier: "EventsOutcome" });
export type EventsOutcome = typeof EventsOutcome.Type;

/** Reports of enters, exits and custom events. */
export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.post("report", "/events", {
      payload: EventsBody,
      success: Data(EventsOutcome),
      error: [PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report enters, exits and custom events")
      .annotate(
        OpenApi.Description,
        "Campaigns fire at once. An event over 15 minutes old is counted but fires nothing. Sending the " +
          "same events again after a lost response is safe: they are duplicates, and the messages are in " +
          "the inbox. Events that the request has no time for are listed as `later`.",
      ),
  )
  .middleware(DeviceAccess)
  .annotate(OpenApi.Title, "Events")
  .annotate(OpenApi.Description, "Enters and exits of locations, and custom events.") {}
