import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { type CampaignKey, type DeviceKey, LocationKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { QuietHours } from "../workspaces/QuietHours.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";
import type { Properties } from "../notifications/EventFacts.ts";
import type { CustomEventReading } from "./custom/CustomEvent.ts";
import type { EventRow } from "./EventRows.ts";
import type { MessageWords } from "./words/MessageWords.ts";
import type { Recorded } from "./EventsSql.ts";
import type { EventMatch, TriggerMatch } from "./TriggerMatch.ts";
import type { ReadTransition } from "./Transition.ts";

/** The events of one device in one request; those of a server are each a request of their device. */
export interface EventRequest {
  readonly caller: Omit<DeviceCaller["Service"], "locationsVersion" | "tokenDigest">;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly events: ReadonlyArray<ReadTransition | CustomEventReading>;
  /** The index of the entry of the request that each event is of; left out if each is one. */
  readonly entries?: ReadonlyArray<number>;
  /** The number of entries that were worked before, in other transactions (`EventParts.ts`). */
  readonly worked?: number;
  /** The person whom a custom event names, whose devices can get its messages; null for the device's own. */
  readonly person?: NamedPerson | null;
}

/** The person of a custom event, with the keys of their registered devices, that seen last first. */
export interface NamedPerson {
  readonly userKey: number;
  readonly deviceKeys: ReadonlyArray<DeviceKey>;
}

/** A readable event of a batch. */
interface IncomingBase extends TenantKey {
  readonly deviceKey: DeviceKey;
  readonly id: string;
  /** Instants are epoch milliseconds. */
  readonly occurredAt: number;
  readonly receivedAt: number;
  readonly requestIndex: number;
  /** The index of its entry in the request. */
  readonly index: number;
  readonly deviceId: string;
  /** The event types that active webhooks of the environment listen to. */
  readonly webhookEvents: ReadonlyArray<string>;
  readonly defaultCap: FrequencyCap | null;
  readonly defaultQuietHours: QuietHours | null;
  /** Whether the workspace has a pace. */
  readonly isPaced: boolean;
  /** The notifications that can fire, older ones first. */
  triggerMatches: ReadonlyArray<TriggerMatch>;
  /** The words of its messages, once they are made: the arm of their unit may be another one. */
  words: ReadonlyMap<TriggerMatch, MessageWords>;
  /** Why it is rejected. */
  problem: string | null;
  /** Null until known; `ended` if the device has unregistered, `later` if the transaction has no room. */
  outcome: "accepted" | "duplicate" | "ended" | "later" | null;
}

/** An enter or exit of a batch. */
export interface IncomingTransition extends IncomingBase, EventRow {
  readonly locationId: string;
  locationKey: LocationKey;
  /** The campaigns whose goal it meets. */
  goalCampaigns: ReadonlyArray<CampaignKey>;
}

/** A custom event of a batch. */
export interface IncomingCustom extends IncomingBase {
  readonly type: "custom";
  readonly locationKey: null;
  readonly name: string;
  readonly properties: Properties;
  readonly person: NamedPerson | null;
  triggerMatches: ReadonlyArray<EventMatch>;
  /** The devices that get the messages of notifications. */
  receivers: ReadonlyMap<TriggerMatch, DeviceKey>;
  /** Its devices, once they are locked. */
  readonly recorded: Map<DeviceKey, Recorded>;
}

/** A readable event of a batch. */
export type IncomingEvent = IncomingTransition | IncomingCustom;

/** Whether an event is an enter or exit. */
export const isTransition = (event: IncomingEvent): event is IncomingTransition => event.type !== "custom";

const noReceivers: IncomingCustom["receivers"] = new Map();
const noWords: IncomingBase["words"] = new Map();

/** The readable events of a request. */
export const incomingEventsOf = (request: EventRequest, requestIndex: number) => {
  const { caller, entries, events, now, person = null } = request;
  const { deviceId, deviceKey, environment, webhookEvents, workspace, workspaceId } = caller;
  return events.flatMap((event, index): Array<IncomingEvent> => {
    if (event._tag === "Unreadable") return [];
    const shared = {
      requestIndex,
      index: entries?.[index] ?? index,
      workspaceId,
      environment,
      deviceKey,
      deviceId,
      webhookEvents,
      receivedAt: now,
      defaultCap: workspace.default_frequency_cap,
      defaultQuietHours: workspace.quiet_hours,
      isPaced: workspace.max_per_minute !== null,
      triggerMatches: [],
      words: noWords,
      problem: event.problem,
      outcome: null,
    };
    if (event._tag === "Custom") {
      const { id, name, occurred_at, properties } = event.event;
      const occurredAt = occurred_at ?? now;
      const own = { id, name, properties, occurredAt, locationKey: null, person };
      return [{ ...shared, ...own, type: "custom", receivers: noReceivers, recorded: new Map() }];
    }
    const { id, location_id: locationId, occurred_at: occurredAt, type } = event.transition;
    const at = { locationId, locationKey: LocationKey(0), goalCampaigns: [] };
    return [{ ...shared, ...at, id, type, occurredAt }];
  });
};
