import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import type { TriggerType } from "../notifications/Notification.ts";
import type { Message } from "../sending/Message.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";
import type { EventsOutcome } from "./EventsApi.ts";
import type { EventRow, TriggerMatch, EventLocation, TriggerMatchRow } from "./EventsSql.ts";
import type { Transition, TransitionType } from "./Transition.ts";
import type { ReadTransition } from "./TransitionParsing.ts";

/** What one device reported in one request. */
export interface EventRequest {
  readonly caller: DeviceCaller["Service"];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly events: ReadonlyArray<ReadTransition>;
}

/** An event that could be read, on its way through a batch. */
export interface IncomingEvent extends EventRow {
  readonly report: number;
  readonly index: number;
  readonly transition: Transition;
  readonly now: number;
  readonly defaultCap: FrequencyCap | null;
  /** Notifications at its place, older ones first. */
  triggerMatches: ReadonlyArray<TriggerMatch>;
  /** Why it cannot be taken, if it is not known already. */
  problem: string | null;
  locationKey: number;
  outcome: "accepted" | "duplicate" | "ended" | null;
}

/** What a notification that an event can fire is triggered by. */
export const triggerOf = (type: TransitionType): TriggerType => (type === "enter" ? "on_enter" : "on_exit");

const unknownLocation = "There is no location with this id in this workspace and environment.";

const placeKey = (incomingEvent: IncomingEvent) =>
  `${incomingEvent.workspaceId}/${incomingEvent.environment}/${incomingEvent.type}/${incomingEvent.transition.location_id}`;

const eventKey = (incomingEvent: IncomingEvent) =>
  `${incomingEvent.workspaceId}/${incomingEvent.environment}/${incomingEvent.deviceKey}/${incomingEvent.id}`;

/** Reports that are written together: what is known of each of their events. */
export class EventBatch {
  readonly reports: ReadonlyArray<EventRequest>;
  readonly incomingEvents: ReadonlyArray<IncomingEvent>;
  readonly #placeKeys = new Map<string, number>();
  /** The places of all events that could be read, each once. */
  readonly places: ReadonlyArray<EventLocation>;

  constructor(reports: ReadonlyArray<EventRequest>) {
    this.reports = reports;
    this.incomingEvents = reports.flatMap(({ caller, events, now }, report) =>
      events.flatMap((event, index): Array<IncomingEvent> => {
        if (event._tag === "Unreadable") return [];
        const { problem, transition } = event;
        return [
          {
            report,
            index,
            transition,
            now,
            problem,
            workspaceId: caller.workspaceId,
            environment: caller.environment,
            deviceKey: caller.deviceKey,
            id: transition.id,
            type: transition.type,
            occurredAt: transition.occurred_at,
            receivedAt: now,
            defaultCap: caller.workspace.default_frequency_cap,
            triggerMatches: [],
            locationKey: 0,
            outcome: null,
          },
        ];
      }),
    );
    const places: Array<EventLocation> = [];
    for (const incomingEvent of this.incomingEvents) {
      const key = placeKey(incomingEvent);
      if (this.#placeKeys.has(key)) continue;
      this.#placeKeys.set(key, places.length);
      places.push({
        workspaceId: incomingEvent.workspaceId,
        environment: incomingEvent.environment,
        locationId: incomingEvent.transition.location_id,
        trigger: triggerOf(incomingEvent.type),
      });
    }
    this.places = places;
  }

  /** The span in which an event of any of the reports can fire. */
  span(spanAt: (now: number) => { readonly from: number; readonly to: number }) {
    const times = this.reports.map((report) => report.now);
    return { from: spanAt(Math.min(...times)).from, to: spanAt(Math.max(...times)).to };
  }

  /** Takes over what is known of the places: an event at none of them has a problem. */
  settle(rows: ReadonlyArray<TriggerMatchRow>): void {
    const found = new Map<
      number,
      { readonly locationKey: number; readonly triggerMatches: Array<TriggerMatch> }
    >();
    for (const row of rows) {
      const place = found.get(row.ord - 1) ?? { locationKey: row.location_key, triggerMatches: [] };
      if (row.campaign_id !== null) place.triggerMatches.push(row);
      found.set(row.ord - 1, place);
    }
    for (const incomingEvent of this.incomingEvents) {
      const place = found.get(this.#placeKeys.get(placeKey(incomingEvent)) ?? -1);
      if (place === undefined) incomingEvent.problem ??= unknownLocation;
      else {
        incomingEvent.locationKey = place.locationKey;
        incomingEvent.triggerMatches = place.triggerMatches;
      }
    }
  }

  /**
   * The events without a problem that are not known as duplicates, each once: one that comes twice in the batch is a duplicate of its
   * first.
   */
  get toStore(): ReadonlyArray<IncomingEvent> {
    const seen = new Set<string>();
    return this.incomingEvents.filter((incomingEvent) => {
      if (incomingEvent.problem !== null || incomingEvent.outcome !== null) return false;
      const key = eventKey(incomingEvent);
      if (seen.has(key)) incomingEvent.outcome = "duplicate";
      const isFirst = !seen.has(key);
      seen.add(key);
      return isFirst;
    });
  }

  /** The events of one report that were taken, in their order. */
  taken(report: number): ReadonlyArray<IncomingEvent> {
    return this.incomingEvents.filter(
      (incomingEvent) => incomingEvent.report === report && incomingEvent.outcome === "accepted",
    );
  }

  /** The answer to each report; null where the device has unregistered meanwhile. */
  outcomes(
    fired: ReadonlyArray<{ readonly incomingEvent: IncomingEvent; readonly message: Message }>,
  ): ReadonlyArray<EventsOutcome | null> {
    const byEvent = this.reports.map((): Array<IncomingEvent> => []);
    for (const incomingEvent of this.incomingEvents) byEvent[incomingEvent.report]?.push(incomingEvent);
    const messages = this.reports.map((): Array<Message> => []);
    for (const { message, incomingEvent } of fired) messages[incomingEvent.report]?.push(message);
    return this.reports.map(({ events }, report) => {
      const incomingEvents = byEvent[report] ?? [];
      if (incomingEvents.some((incomingEvent) => incomingEvent.outcome === "ended")) return null;
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
        deliveries: messages[report] ?? [],
      };
    });
  }
}
