import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import type { Properties } from "../notifications/EventFacts.ts";
import type { TriggerType } from "../notifications/Notification.ts";
import type { DeviceKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { QuietHours } from "../workspaces/QuietHours.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";
import type { ReadCustomEvent } from "./custom/CustomEvent.ts";
import { type EventReading, type Transition, type TransitionType, triggerOf } from "./Transition.ts";

/** The events of one device in one request; those of a server are each a request of their device. */
export interface EventRequest {
  readonly caller: Omit<DeviceCaller["Service"], "locationsVersion" | "tokenDigest">;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly events: ReadonlyArray<EventReading<Transition | ReadCustomEvent>>;
  /** The index of the entry of the request that each event is of; left out if each is one. */
  readonly entries?: ReadonlyArray<number>;
  /** The number of entries that were worked before, in other transactions (`EventParts.ts`). */
  readonly worked?: number;
  /** The person whom a custom event names, whose devices can get its messages; null for the device's own. */
  readonly person?: NamedPerson | null;
}

/** The person of a custom event, with the keys of their registered devices, that seen last first. */
interface NamedPerson {
  readonly userKey: number;
  readonly deviceKeys: ReadonlyArray<DeviceKey>;
}

interface IncomingBase extends TenantKey {
  readonly deviceKey: DeviceKey;
  readonly deviceId: string;
  readonly id: string;
  /** The trigger type of the notifications that it fires at once. */
  readonly trigger: TriggerType;
  /** Instants are epoch milliseconds. */
  readonly occurredAt: number;
  readonly receivedAt: number;
  readonly requestIndex: number;
  /** The index of its entry in the request. */
  readonly index: number;
  /** Why it is rejected; null if it is not. */
  readonly problem: string | null;
  /** The event types that active webhooks of the environment listen to. */
  readonly webhookEvents: ReadonlyArray<string>;
  readonly defaultCap: FrequencyCap | null;
  readonly defaultQuietHours: QuietHours | null;
  /** Whether the workspace has a pace. */
  readonly isPaced: boolean;
}

/** An enter or exit that could be read. */
export interface IncomingTransition extends IncomingBase {
  readonly type: TransitionType;
  readonly locationId: string;
}

/** A custom event that could be read. */
export interface IncomingCustom extends IncomingBase {
  readonly type: "custom";
  readonly name: string;
  readonly properties: Properties;
  readonly person: NamedPerson | null;
}

/** An event that could be read: the first stage of `EventStages.ts`. */
export type IncomingEvent = IncomingTransition | IncomingCustom;

/** Whether an event is an enter or exit. */
export const isTransition = <Event extends IncomingEvent>(
  event: Event,
): event is Exclude<Event, IncomingCustom> => event.type !== "custom";

/** Whether an event is a custom one. */
export const isCustomEvent = <Event extends IncomingEvent>(
  event: Event,
): event is Extract<Event, IncomingCustom> => event.type === "custom";

/** The readable events of a request. */
export const incomingEventsOf = (request: EventRequest, requestIndex: number) => {
  const { caller, entries, events, now, person = null } = request;
  const { deviceId, deviceKey, environment, webhookEvents, workspace, workspaceId } = caller;
  return events.flatMap((reading, index): ReadonlyArray<IncomingEvent> => {
    if ("reasons" in reading) return [];
    const { event, problem } = reading;
    const shared = {
      workspaceId,
      environment,
      deviceKey,
      deviceId,
      id: event.id,
      receivedAt: now,
      requestIndex,
      index: entries?.[index] ?? index,
      problem,
      webhookEvents,
      defaultCap: workspace.default_frequency_cap,
      defaultQuietHours: workspace.quiet_hours,
      isPaced: workspace.max_per_minute !== null,
    };
    if ("location_id" in event) {
      const { location_id: locationId, occurred_at: occurredAt, type } = event;
      return [{ ...shared, type, trigger: triggerOf(type), locationId, occurredAt }];
    }
    const { name, occurred_at, properties } = event;
    const own = { name, properties, person, occurredAt: occurred_at ?? now };
    return [{ ...shared, ...own, type: "custom", trigger: "on_event" }];
  });
};
