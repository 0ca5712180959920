import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { DeviceAccess } from "../devices/DeviceAccess.ts";
import { Message } from "../sending/Message.ts";
import { PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "../wire/ApiError.ts";
import { Data } from "../wire/Envelope.ts";
import { Transition } from "./Transition.ts";

const count = (description: string, example: number) =>
  Schema.Int.annotate({ description, examples: [example] });

const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { message: "The events must hold 1 to 100 events." }),
    Schema.isMaxLength(100, { message: "The events must hold 1 to 100 events." }),
  );

/** Body of a report, as the documentation shows it. */
const TransitionReport = Schema.Struct({
  events: listOf(Transition).annotate({
    description: "1 to 100 events, in any order.",
  }),
}).annotate({ identifier: "TransitionReport" });

/** Body of a report as it is read: a bad event is rejected alone. */
export const EventsBody = Schema.Struct({ events: listOf(Schema.Unknown) });
export type EventsBody = typeof EventsBody.Type;

/** What became of a report. */
export const EventsOutcome = Schema.Struct({
  accepted: count("Events that are new and were taken.", 2),
  duplicates: count("Events that were known already; they changed nothing.", 0),
  rejected: Schema.Array(
    Schema.Struct({
      index: count("Position of the event in the report, from 0.", 1),
      reasons: Schema.Array(Schema.String).annotate({
        description: "What is wrong with the event.",
        examples: [["There is no location with this id in this workspace and environment."]],
      }),
    }),
  ).annotate({ description: "Events that were not taken, and why." }),
  deliveries: Schema.Array(Message).annotate({
    description: "Every message that the events fired; `delivered_at` is null while a push is on its way.",
  }),
}).annotate({ identifier: "EventsOutcome" });
export type EventsOutcome = typeof EventsOutcome.Type;

/** Where devices tell what happened. */
export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.post("report", "/events", {
      payload: TransitionReport,
      success: Data(EventsOutcome),
      error: [PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      .annotate(OpenApi.Summary, "Report enters and exits")
      .annotate(
        OpenApi.Description,
        "Campaigns fire at once; an event over 15 minutes old is counted and fires nothing. Sending the same events again " +
          "after a lost answer is safe: they are duplicates then, and the messages are in the inbox.",
      ),
  )
  .middleware(DeviceAccess)
  .annotate(OpenApi.Title, "Events")
  .annotate(OpenApi.Description, "Enters and exits of locations, as devices see them.") {}
