import type { Message } from "../sending/rendering/Message.ts";
import { meets } from "../rules/Rule.ts";
import type { CampaignKey, LocationKey } from "../wire/Ids.ts";
import type { EventLocation } from "./EventRows.ts";
import { type EventBounds, partOf } from "./EventParts.ts";
import type { EventsOutcome } from "./EventsApi.ts";
import type { Recorded, TriggerMatchRow } from "./EventsSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import {
  type EventRequest,
  type IncomingCustom,
  type IncomingEvent,
  type IncomingTransition,
  incomingEventsOf,
  isTransition,
} from "./IncomingEvent.ts";
import type { EventMatchRow, NamedEvent } from "./custom/EventTriggersSql.ts";
import { triggerOf } from "./Transition.ts";

/** An event that was stored, with its device. */
export interface AcceptedEvent {
  readonly incomingEvent: IncomingEvent;
  readonly device: Recorded;
}

/** A message that an event has triggered. */
export interface TriggeredMessage {
  readonly incomingEvent: IncomingEvent;
  /** Null for one that no answer has room for. */
  readonly message: Message | null;
}

/** The result of a request in one transaction. */
export interface PartOutcome extends Pick<EventsOutcome, "accepted" | "duplicates" | "rejected"> {
  readonly messages: ReadonlyArray<Message | null>;
  /** The entries before this index were worked; Infinity for all. */
  readonly end: number;
}

interface FoundLocation {
  readonly key: LocationKey;
  readonly goals: ReadonlyArray<CampaignKey>;
  readonly matches: Array<TriggerMatch>;
}

const unknownLocation = "There is no location with this id in this workspace and environment.";

const locationNameOf = ({ environment, locationId, type, workspaceId }: IncomingTransition) =>
  `${workspaceId}/${environment}/${type}/${locationId}`;

const customNameOf = ({ environment, name, workspaceId }: NamedEvent) =>
  `${workspaceId}/${environment}/${name}`;

/** Custom events have ids of their own, and the database knows whether two devices share a person. */
const eventNameOf = (event: IncomingEvent) => {
  const { deviceKey, environment, id, workspaceId } = event;
  const owner = event.type !== "custom" ? deviceKey : `custom/${event.person?.userKey ?? 0}/${deviceKey}`;
  return `${workspaceId}/${environment}/${owner}/${id}`;
};

/**
 * Requests whose events are written together. Its methods are the steps, in this order: `locate`, `takePart`,
 * `markDuplicates`, `takeNew`, `record`, `outcomes`.
 */
export class EventBatch {
  readonly requests: ReadonlyArray<EventRequest>;
  readonly incomingEvents: ReadonlyArray<IncomingEvent>;
  /** The locations of all readable events, with what happened there, each once. */
  readonly locations: ReadonlyArray<EventLocation>;
  readonly #locationIndexes = new Map<string, number>();
  /** The entries of each request before its index are worked; Infinity for all. */
  ends: ReadonlyArray<number>;

  constructor(requests: ReadonlyArray<EventRequest>) {
    this.requests = requests;
    this.incomingEvents = requests.flatMap(incomingEventsOf);
    this.ends = requests.map(() => Infinity);
    const locations: Array<EventLocation> = [];
    for (const incomingEvent of this.incomingEvents.filter(isTransition)) {
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

  /**
   * Sets the locations of events and what can fire there. An event at an unknown location has a problem; one
   * at a location from `located` on, which was not looked up, is left to a later transaction.
   */
  locate(rows: ReadonlyArray<TriggerMatchRow>, located: number): void {
    const found = this.locations.map((): FoundLocation | null => null);
    for (const row of rows) {
      const goals = row.goal_campaigns ?? [];
      const location = (found[row.ord - 1] ??= { key: row.location_key, goals, matches: [] });
      if (row.campaign_id !== null) location.matches.push(row);
    }
    const ends = [...this.ends];
    for (const incomingEvent of this.incomingEvents.filter(isTransition)) {
      const at = this.#locationIndexes.get(locationNameOf(incomingEvent)) ?? -1;
      const location = found[at];
      const { index, requestIndex } = incomingEvent;
      if (at >= located) ends[requestIndex] = Math.min(ends[requestIndex] ?? 0, index);
      else if (location === undefined || location === null) incomingEvent.problem ??= unknownLocation;
      else {
        incomingEvent.locationKey = location.key;
        incomingEvent.triggerMatches = location.matches;
        incomingEvent.goalCampaigns = location.goals;
      }
    }
    this.ends = ends;
  }

  /** The custom events of the batch by their names, each once. */
  get names(): ReadonlyArray<NamedEvent> {
    return [...new Map(this.#customs.map((event) => [customNameOf(event), event])).values()];
  }

  /** Sets what custom events can fire; `rows` have the numbers of `names`. */
  match(names: ReadonlyArray<NamedEvent>, rows: ReadonlyArray<EventMatchRow>): void {
    if (rows.length === 0) return;
    const byName = new Map(names.map((name, index) => [customNameOf(name), index + 1]));
    const matches = Map.groupBy(rows, ({ ord }) => ord);
    for (const event of this.#customs) {
      const own = matches.get(byName.get(customNameOf(event)) ?? 0) ?? [];
      event.triggerMatches = own.filter(
        ({ event: { where } }) => where === null || meets(where, event.properties),
      );
    }
  }

  get #customs(): ReadonlyArray<IncomingCustom> {
    return this.incomingEvents.filter((event): event is IncomingCustom => !isTransition(event));
  }

  /** Leaves the events that one transaction has no room for to a later one. @throws TakesLong */
  takePart(bounds: EventBounds, isAlone: boolean): void {
    const located = this.ends;
    if (this.incomingEvents.some(({ triggerMatches }) => triggerMatches.length > 0)) {
      const events = this.#byRequest();
      const requests = this.requests.map(({ caller: { workspaceId }, worked = 0 }, request) => ({
        workspaceId,
        worked,
        events: events[request] ?? [],
        end: located[request] ?? Infinity,
      }));
      this.ends = partOf(requests, bounds, isAlone);
    }
    for (const event of this.incomingEvents)
      if (event.index >= (this.ends[event.requestIndex] ?? 0)) event.outcome = "later";
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

  #byRequest(): ReadonlyArray<ReadonlyArray<IncomingEvent>> {
    const byRequest = this.requests.map((): Array<IncomingEvent> => []);
    for (const incomingEvent of this.incomingEvents)
      byRequest[incomingEvent.requestIndex]?.push(incomingEvent);
    return byRequest;
  }

  /** The result of each request; null if its device has unregistered meanwhile. */
  outcomes(triggered: ReadonlyArray<TriggeredMessage>): ReadonlyArray<PartOutcome | null> {
    const byRequest = this.#byRequest();
    const messages = this.requests.map((): Array<Message | null> => []);
    for (const { incomingEvent, message } of triggered) messages[incomingEvent.requestIndex]?.push(message);
    return this.requests.map(({ events }, requestIndex) => {
      const incomingEvents = byRequest[requestIndex] ?? [];
      const end = this.ends[requestIndex] ?? Infinity;
      if (incomingEvents.some(({ outcome }) => outcome === "ended")) return null;
      const rejected = new Map<number, ReadonlyArray<string>>();
      events.forEach((event, index) => {
        if (event._tag === "Unreadable" && index < end) rejected.set(index, event.reasons);
      });
      for (const { index, outcome, problem } of incomingEvents) {
        if (problem !== null && outcome === null) rejected.set(index, [problem]);
      }
      return {
        accepted: incomingEvents.filter(({ outcome }) => outcome === "accepted").length,
        duplicates: incomingEvents.filter(({ outcome }) => outcome === "duplicate").length,
        rejected: [...rejected].sort(([a], [b]) => a - b).map(([index, reasons]) => ({ index, reasons })),
        messages: messages[requestIndex] ?? [],
        end,
      };
    });
  }
}
