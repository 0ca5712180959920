import type { ReachedGoal, UnitEvent } from "../experiments/ReachedGoal.ts";
import { unitKeyOf } from "../sending/arms/Arm.ts";
import type { AcceptedEvent } from "./EventBatch.ts";
import { isTransition } from "./IncomingEvent.ts";

/** The goals of campaigns that an enter meets, for the unit that its device is of now (contract U5). */
export const visitGoals = ({ device, incomingEvent }: AcceptedEvent): ReadonlyArray<ReachedGoal> => {
  if (!isTransition(incomingEvent)) return [];
  const { deviceKey, environment, goalCampaigns, occurredAt, workspaceId } = incomingEvent;
  const unitKey = unitKeyOf(deviceKey, device.user_key);
  return goalCampaigns.map((campaignKey) => ({
    workspaceId,
    environment,
    campaignKey,
    unitKey,
    goal: "visit",
    at: occurredAt,
  }));
};

/** A custom event that a unit may convert by (contract V5). */
export const eventGoals = ({ device, incomingEvent }: AcceptedEvent): ReadonlyArray<UnitEvent> => {
  if (isTransition(incomingEvent)) return [];
  const { deviceKey, environment, name, occurredAt: at, workspaceId } = incomingEvent;
  return [{ workspaceId, environment, unitKey: unitKeyOf(deviceKey, device.user_key), name, at }];
};
