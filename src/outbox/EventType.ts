import { Schema } from "effect";

/** The types of events that webhooks can receive (contract N2). */
export const eventTypes = [
  "message.delivered",
  "message.failed",
  "message.opened",
  "message.clicked",
  "survey.answered",
  "device.registered",
  "device.unregistered",
  "device.subscribed",
  "device.unsubscribed",
  "location.entered",
  "location.exited",
  "event.custom",
  "send.finished",
  "campaign.created",
  "campaign.updated",
  "campaign.deleted",
] as const;

/** An event type. */
export const EventType = Schema.Literals(eventTypes);
export type EventType = typeof EventType.Type;

/** Stands for all event types. */
export const anyEvent = "*";

/** Whether a webhook that listens to `heard` gets events of a type. */
export const hears = (heard: ReadonlyArray<string>, type: EventType): boolean =>
  heard.includes(type) || heard.includes(anyEvent);
