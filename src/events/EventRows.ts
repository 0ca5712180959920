import type { TriggerType } from "../notifications/Notification.ts";
import type { DeviceKey, LocationKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { TransitionType } from "./Transition.ts";

/** A location, with the trigger type of the events there. */
export interface EventLocation extends TenantKey {
  readonly locationId: string;
  readonly trigger: TriggerType;
}

/** An event as stored. Instants are epoch milliseconds. */
export interface EventRow extends TenantKey {
  readonly deviceKey: DeviceKey;
  readonly id: string;
  readonly type: TransitionType;
  readonly locationKey: LocationKey;
  readonly occurredAt: number;
  readonly receivedAt: number;
}
