import { Schema } from "effect";
import { EventName } from "../../wire/EventName.ts";
import { shownInstant, shownInteger, shownText } from "../../wire/ShownFields.ts";

/** The most days that events are counted by at once. */
export const maxDays = 31;

/** A name of custom events, with how many occurred on each day. */
export const EventSummary = Schema.Struct({
  name: EventName,
  count: shownInteger("How many occurred on these days.", 1204),
  last_received_at: shownInstant("When the last of them was received, on whatever day it occurred, in UTC."),
  days: Schema.Array(
    Schema.Struct({
      date: shownText("The day.", "2026-11-21"),
      count: shownInteger("How many occurred on it.", 312),
    }),
  ).annotate({ description: "Each of the days, also those without events." }),
}).annotate({ identifier: "EventSummary" });
export type EventSummary = typeof EventSummary.Type;

/** The response with the names of events. */
export const EventSummaries = Schema.Struct({
  data: Schema.Array(EventSummary),
  meta: Schema.Struct({
    start: shownText("The first day.", "2026-11-08"),
    end: shownText("The last day: today.", "2026-11-21"),
    timezone: shownText("The workspace's time zone, by which days are counted.", "Europe/Amsterdam"),
  }),
});

/** A property of the events of a name, with its most frequent values. */
export const PropertySummary = Schema.Struct({
  name: shownText("Name of the property, as `where` and templates use it.", "total"),
  events: shownInteger("How many of these events have it.", 930),
  values: Schema.Array(
    Schema.Struct({
      value: Schema.Json.annotate({ description: "A text, number, true or false.", examples: ["EUR"] }),
      events: shownInteger("How many of these events have this value.", 312),
    }),
  ).annotate({ description: "Up to 20 of its most frequent values." }),
}).annotate({ identifier: "PropertySummary" });
export type PropertySummary = typeof PropertySummary.Type;
