import type { ReachedGoal } from "../experiments/ReachedGoal.ts";
import { unitKeyOf } from "../sending/arms/Arm.ts";
import type { AcceptedEvent } from "./EventBatch.ts";

/** The goals of campaigns that an event meets, for the unit that its device is of now (contract U5). */
export const visitGoals = ({ device, incomingEvent }: AcceptedEvent): ReadonlyArray<ReachedGoal> => {
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
