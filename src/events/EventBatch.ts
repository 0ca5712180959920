import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import type { Message } from "../sending/rendering/Message.ts";
import type { Recipient } from "../sending/rendering/Recipients.ts";
import type { RenderedTexts } from "../notifications/templates/MessageTexts.ts";
import type { QuietHours } from "../workspaces/QuietHours.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";
import type { EventsOutcome } from "./EventsApi.ts";
import type { EventLocation, EventRow } from "./EventRows.ts";
import type { Recorded, TriggerMatchRow } from "./EventsSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { triggerOf } from "./Transition.ts";
import type { ReadTransition } from "./TransitionParsing.ts";
import { type CampaignKey, LocationKey } from "../wire/Ids.ts";

/** The events of one device in one request. */
export interface EventRequest {
  readonly caller: DeviceCaller["Service"];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly events: ReadonlyArray<ReadTransition>;
}

/** The texts of a message for the device of an event. */
export interface RenderedMessage {
  readonly recipient: Recipient;
  /** The key of the variant whose words they are; null for those of the notification. */
  readonly words: string | null;
  readonly result: RenderedTexts;
}

/** A readable event of a batch. */
export interface IncomingEvent extends EventRow {
  readonly requestIndex: number;
  /** Its index in the request. */
  readonly index: number;
  readonly locationId: string;
  readonly deviceId: string;
  /** The event types that active webhooks of the environment listen to. */
  readonly webhookEvents: ReadonlyArray<string>;
  readonly defaultCap: FrequencyCap | null;
  readonly defaultQuietHours: QuietHours | null;
  /** Whether the workspace has a pace. */
  readonly isPaced: boolean;
  locationKey: LocationKey;
  /** The notifications that can fire, older ones first. */
  triggerMatches: ReadonlyArray<TriggerMatch>;
  /** The campaigns whose goal it meets. */
  goalCampaigns: ReadonlyArray<CampaignKey>;
  /** The texts of notifications that vary by device, once they are rendered for this one. */
  texts: ReadonlyMap<TriggerMatch, RenderedMessage>;
  /** Why it is rejected. */
  problem: string | null;
  /** Null until known; `ended` if the device has unregistered. */
  outcome: "accepted" | "duplicate" | "ended" | null;
}

/** An event that was stored, with its device. */
export interface AcceptedEvent {
  readonly incomingEvent: IncomingEvent;
  readonly device: Recorded;
}

/** A message that an event has triggered. */
export interface TriggeredMessage {
  readonly incomingEvent: IncomingEvent;
  readonly message: Message;
}

interface FoundLocation {
  readonly key: LocationKey;
  readonly goals: ReadonlyArray<CampaignKey>;
  readonly matches: Array<TriggerMatch>;
}

const noTexts: ReadonlyMap<TriggerMatch, RenderedMessage> = new Map();

const unknownLocation = "There is no location with this id in this workspace and environment.";

const locationNameOf = ({ environment, locationId, type, workspaceId }: IncomingEvent) =>
  `${workspaceId}/${environment}/${type}/${locationId}`;

const eventNameOf = ({ deviceKey, environment, id, workspaceId }: IncomingEvent) =>
  `${workspaceId}/${environment}/${deviceKey}/${id}`;

const incomingEventsOf = ({ caller, events, now }: EventRequest, requestIndex: number) =>
  events.flatMap((event, index): Array<IncomingEvent> => {
    if (event._tag === "Unreadable") return [];
    const { id, location_id, occurred_at, type } = event.transition;
    const { deviceId, deviceKey, environment, webhookEvents, workspace, workspaceId } = caller;
    return [
      {
        requestIndex,
        index,
        workspaceId,
        environment,
        deviceKey,
        id,
        type,
        locationId: location_id,
        deviceId,
        webhookEvents,
        occurredAt: occurred_at,
        receivedAt: now,
        defaultCap: workspace.default_frequency_cap,
        defaultQuietHours: workspace.quiet_hours,
        isPaced: workspace.max_per_minute !== null,
        locationKey: LocationKey(0),
        triggerMatches: [],
        goalCampaigns: [],
        texts: noTexts,
        problem: event.problem,
        outcome: null,
      },
    ];
  });

/**
 * Requests whose events are written together. Its methods are the steps, in this order: `locate`,
 * `markDuplicates`, `takeNew`, `record`, `outcomes`.
 */
export class EventBatch {
  readonly requests: ReadonlyArray<EventRequest>;
  readonly incomingEvents: ReadonlyArray<IncomingEvent>;
  /** The locations of all readable events, with what happened there, each once. */
  readonly locations: ReadonlyArray<EventLocation>;
  readonly #locationIndexes = new Map<string, number>();

  constructor(requests: ReadonlyArray<EventRequest>) {
    this.requests = requests;
    this.incomingEvents = requests.flatMap(incomingEventsOf);
    const locations: Array<EventLocation> = [];
    for (const incomingEvent of this.incomingEvents) {
      const name = locationNameOf(incomingEvent);
      if (this.#locationIndexes.has(name)) continue;
      this.#locationIndexes.set(name, locations.length);
      const { environment, locationId, type, workspaceId } = incomingEvent;
      locations.push({ workspaceId, environment, locationId, trigger: triggerOf(type) });
    }
    this.locations = locations;
  }

  /** The span in which an event of any of the requests can trigger notifications. */
  span(spanAt: (now: number) => { readonly from: number; readonly to: number }) {
    const times = this.requests.map(({ now }) => now);
    return { from: spanAt(Math.min(...times)).from, to: spanAt(Math.max(...times)).to };
  }

  /** Sets the locations of events and what can fire there. An event at an unknown location has a problem. */
  locate(rows: ReadonlyArray<TriggerMatchRow>): void {
    const found = this.locations.map((): FoundLocation | null => null);
    for (const row of rows) {
      const goals = row.goal_campaigns ?? [];
      const location = (found[row.ord - 1] ??= { key: row.location_key, goals, matches: [] });
      if (row.campaign_id !== null) location.matches.push(row);
    }
    for (const incomingEvent of this.incomingEvents) {
      const location = found[this.#locationIndexes.get(locationNameOf(incomingEvent)) ?? -1];
      if (location === undefined || location === null) incomingEvent.problem ??= unknownLocation;
      else {
        incomingEvent.locationKey = location.key;
        incomingEvent.triggerMatches = location.matches;
        incomingEvent.goalCampaigns = location.goals;
      }
    }
  }

  /** Marks events that were recorded before. */
  markDuplicates(recorded: ReadonlyArray<IncomingEvent>): void {
    for (const incomingEvent of recorded) incomingEvent.outcome = "duplicate";
  }

  /** Returns the events to record. Marks an event that comes twice as a duplicate of the first. */
  takeNew(): ReadonlyArray<IncomingEvent> {
    const seen = new Set<string>();
    const candidates = this.incomingEvents.filter(
      ({ outcome, problem }) => problem === null && outcome === null,
    );
    return candidates.filter((incomingEvent) => {
      const name = eventNameOf(incomingEvent);
      if (seen.has(name)) incomingEvent.outcome = "duplicate";
      const isFirst = !seen.has(name);
      seen.add(name);
      return isFirst;
    });
  }

  /** Sets the outcomes of written events. Returns the accepted ones with their devices, in order. */
  record(events: ReadonlyArray<IncomingEvent>, rows: ReadonlyArray<Recorded>): ReadonlyArray<AcceptedEvent> {
    const byEvent = new Map(rows.map((row) => [row.ord - 1, row]));
    return events.flatMap((incomingEvent, index) => {
      const device = byEvent.get(index);
      if (device === undefined) incomingEvent.outcome = "ended";
      else incomingEvent.outcome = device.is_new ? "accepted" : "duplicate";
      return device?.is_new === true ? [{ incomingEvent, device }] : [];
    });
  }

  /** The accepted events of one request, in order. */
  accepted(requestIndex: number): ReadonlyArray<IncomingEvent> {
    return this.incomingEvents.filter(
      (incomingEvent) => incomingEvent.requestIndex === requestIndex && incomingEvent.outcome === "accepted",
    );
  }

  /** The response to each request; null if its device has unregistered meanwhile. */
  outcomes(triggered: ReadonlyArray<TriggeredMessage>): ReadonlyArray<EventsOutcome | null> {
    const byRequest = this.requests.map((): Array<IncomingEvent> => []);
    for (const incomingEvent of this.incomingEvents) {
      byRequest[incomingEvent.requestIndex]?.push(incomingEvent);
    }
    const messages = this.requests.map((): Array<Message> => []);
    for (const { incomingEvent, message } of triggered) messages[incomingEvent.requestIndex]?.push(message);
    return this.requests.map(({ events }, requestIndex) => {
      const incomingEvents = byRequest[requestIndex] ?? [];
      if (incomingEvents.some(({ outcome }) => outcome === "ended")) return null;
      const rejected = new Map<number, ReadonlyArray<string>>();
      events.forEach((event, index) => {
        if (event._tag === "Unreadable") rejected.set(index, event.reasons);
      });
      for (const { index, outcome, problem } of incomingEvents) {
        if (problem !== null && outcome === null) rejected.set(index, [problem]);
      }
      return {
        accepted: incomingEvents.filter(({ outcome }) => outcome === "accepted").length,
        duplicates: incomingEvents.filter(({ outcome }) => outcome === "duplicate").length,
        rejected: [...rejected].sort(([a], [b]) => a - b).map(([index, reasons]) => ({ index, reasons })),
        deliveries: messages[requestIndex] ?? [],
      };
    });
  }
}
