import { hears } from "../outbox/EventType.ts";
import type { OutgoingEvent } from "../outbox/Outbox.ts";
import { utcText } from "../time/LocalTime.ts";
import { type IncomingEvent, isTransition } from "./IncomingEvent.ts";

const types = { enter: "location.entered", exit: "location.exited", custom: "event.custom" } as const;

/** The event about an enter, an exit or a custom event, if a webhook listens. */
export const outgoingEvents = (incomingEvent: IncomingEvent): ReadonlyArray<OutgoingEvent> => {
  const { environment, receivedAt: at, webhookEvents, workspaceId } = incomingEvent;
  const type = types[incomingEvent.type];
  return hears(webhookEvents, type)
    ? [{ workspaceId, environment, type, at, data: dataOf(incomingEvent) }]
    : [];
};

const dataOf = (event: IncomingEvent): object => {
  const { deviceId, id } = event;
  const occurred_at = utcText(event.occurredAt);
  if (isTransition(event))
    return { id, type: event.type, location_id: event.locationId, device_id: deviceId, occurred_at };
  const { deviceKey, name, person, properties, receivedAt, recorded } = event;
  return {
    id,
    device_id: person === null ? deviceId : null,
    user_id: recorded.get(deviceKey)?.user_id ?? null,
    name,
    properties,
    occurred_at,
    received_at: utcText(receivedAt),
  };
};
