/** The results of a recorded event for webhooks, and for the experiments of campaigns. */
import type { ReachedGoal, UnitEvent } from "../experiments/ReachedGoal.ts";
import { hears } from "../outbox/EventType.ts";
import type { OutgoingEvent } from "../outbox/Outbox.ts";
import { unitKeyOf } from "../sending/arms/Arm.ts";
import { utcText } from "../time/LocalTime.ts";
import type { Recorded } from "./EventStages.ts";
import { isTransition } from "./IncomingEvent.ts";

const types = { enter: "location.entered", exit: "location.exited", custom: "event.custom" } as const;

/** The event about an enter, an exit or a custom event, if a webhook listens. */
export const outgoingEvents = (event: Recorded): ReadonlyArray<OutgoingEvent> => {
  const { environment, receivedAt: at, webhookEvents, workspaceId } = event;
  const type = types[event.type];
  return hears(webhookEvents, type) ? [{ workspaceId, environment, type, at, data: dataOf(event) }] : [];
};

const dataOf = (event: Recorded): object => {
  const { deviceId, id } = event;
  const occurred_at = utcText(event.occurredAt);
  if (isTransition(event))
    return { id, type: event.type, location_id: event.locationId, device_id: deviceId, occurred_at };
  const { device, name, person, properties, receivedAt } = event;
  return {
    id,
    device_id: person === null ? deviceId : null,
    user_id: device.user_id,
    name,
    properties,
    occurred_at,
    received_at: utcText(receivedAt),
  };
};

/** The goals of campaigns that an enter meets, for the unit that its device is of now (contract U5). */
export const visitGoals = (event: Recorded): ReadonlyArray<ReachedGoal> => {
  const { device, deviceKey, environment, goalCampaigns, occurredAt: at, workspaceId } = event;
  const unitKey = unitKeyOf(deviceKey, device.user_key);
  return goalCampaigns.map((campaignKey) => ({
    workspaceId,
    environment,
    campaignKey,
    unitKey,
    goal: "visit",
    at,
  }));
};

/** A custom event that a unit may convert by (contract V5). */
export const eventGoals = (event: Recorded): ReadonlyArray<UnitEvent> => {
  if (isTransition(event)) return [];
  const { device, deviceKey, environment, name, occurredAt: at, workspaceId } = event;
  return [{ workspaceId, environment, unitKey: unitKeyOf(deviceKey, device.user_key), name, at }];
};
