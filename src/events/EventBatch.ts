import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import type { TriggerType } from "../notifications/Notification.ts";
import type { Message } from "../sending/Message.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";
import type { ReportOutcome } from "./EventsApi.ts";
import type { EventRow, Firing, Place, PlaceRow } from "./EventsSql.ts";
import type { Transition, TransitionType } from "./Transition.ts";
import type { ReadTransition } from "./TransitionParsing.ts";

/** What one device reported in one request. */
export interface Report {
  readonly caller: DeviceCaller["Service"];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly events: ReadonlyArray<ReadTransition>;
}

/** An event that could be read, on its way through a batch. */
export interface Sighting extends EventRow {
  readonly report: number;
  readonly index: number;
  readonly transition: Transition;
  readonly now: number;
  readonly defaultCap: FrequencyCap | null;
  /** Notifications at its place, older ones first. */
  firings: ReadonlyArray<Firing>;
  /** Why it cannot be taken, if it is not known already. */
  problem: string | null;
  locationNo: number;
  outcome: "accepted" | "duplicate" | "ended" | null;
}

/** What a notification that an event can fire is triggered by. */
export const triggerOf = (type: TransitionType): TriggerType => (type === "enter" ? "on_enter" : "on_exit");

const unknownLocation = "There is no location with this id in this workspace and environment.";

const placeKey = (sighting: Sighting) =>
  `${sighting.workspaceId}/${sighting.environment}/${sighting.type}/${sighting.transition.location_id}`;

const eventKey = (sighting: Sighting) =>
  `${sighting.workspaceId}/${sighting.environment}/${sighting.deviceNo}/${sighting.id}`;

/** Reports that are written together: what is known of each of their events. */
export class ReportBatch {
  readonly reports: ReadonlyArray<Report>;
  readonly sightings: ReadonlyArray<Sighting>;
  readonly #placeKeys = new Map<string, number>();
  /** The places of all events that could be read, each once. */
  readonly places: ReadonlyArray<Place>;

  constructor(reports: ReadonlyArray<Report>) {
    this.reports = reports;
    this.sightings = reports.flatMap(({ caller, events, now }, report) =>
      events.flatMap((event, index): Array<Sighting> => {
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
            deviceNo: caller.deviceNo,
            id: transition.id,
            type: transition.type,
            occurredAt: transition.occurred_at,
            receivedAt: now,
            defaultCap: caller.workspace.default_frequency_cap,
            firings: [],
            locationNo: 0,
            outcome: null,
          },
        ];
      }),
    );
    const places: Array<Place> = [];
    for (const sighting of this.sightings) {
      const key = placeKey(sighting);
      if (this.#placeKeys.has(key)) continue;
      this.#placeKeys.set(key, places.length);
      places.push({
        workspaceId: sighting.workspaceId,
        environment: sighting.environment,
        locationId: sighting.transition.location_id,
        trigger: triggerOf(sighting.type),
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
  settle(rows: ReadonlyArray<PlaceRow>): void {
    const found = new Map<number, { readonly locationNo: number; readonly firings: Array<Firing> }>();
    for (const row of rows) {
      const place = found.get(row.ord - 1) ?? { locationNo: row.location_no, firings: [] };
      if (row.campaign_id !== null) place.firings.push(row);
      found.set(row.ord - 1, place);
    }
    for (const sighting of this.sightings) {
      const place = found.get(this.#placeKeys.get(placeKey(sighting)) ?? -1);
      if (place === undefined) sighting.problem ??= unknownLocation;
      else {
        sighting.locationNo = place.locationNo;
        sighting.firings = place.firings;
      }
    }
  }

  /**
   * The events without a problem that are not known as duplicates, each once: one that comes twice in the batch is a duplicate of its
   * first.
   */
  get toStore(): ReadonlyArray<Sighting> {
    const seen = new Set<string>();
    return this.sightings.filter((sighting) => {
      if (sighting.problem !== null || sighting.outcome !== null) return false;
      const key = eventKey(sighting);
      if (seen.has(key)) sighting.outcome = "duplicate";
      const isFirst = !seen.has(key);
      seen.add(key);
      return isFirst;
    });
  }

  /** The events of one report that were taken, in their order. */
  taken(report: number): ReadonlyArray<Sighting> {
    return this.sightings.filter((sighting) => sighting.report === report && sighting.outcome === "accepted");
  }

  /** The answer to each report; null where the device has unregistered meanwhile. */
  outcomes(
    fired: ReadonlyArray<{ readonly sighting: Sighting; readonly message: Message }>,
  ): ReadonlyArray<ReportOutcome | null> {
    const bySighting = this.reports.map((): Array<Sighting> => []);
    for (const sighting of this.sightings) bySighting[sighting.report]?.push(sighting);
    const messages = this.reports.map((): Array<Message> => []);
    for (const { message, sighting } of fired) messages[sighting.report]?.push(message);
    return this.reports.map(({ events }, report) => {
      const sightings = bySighting[report] ?? [];
      if (sightings.some((sighting) => sighting.outcome === "ended")) return null;
      const rejected = new Map<number, ReadonlyArray<string>>();
      events.forEach((event, index) => {
        if (event._tag === "Unreadable") rejected.set(index, event.reasons);
      });
      for (const { index, outcome, problem } of sightings) {
        if (problem !== null && outcome === null) rejected.set(index, [problem]);
      }
      return {
        accepted: sightings.filter(({ outcome }) => outcome === "accepted").length,
        duplicates: sightings.filter(({ outcome }) => outcome === "duplicate").length,
        rejected: [...rejected].sort(([a], [b]) => a - b).map(([index, reasons]) => ({ index, reasons })),
        deliveries: messages[report] ?? [],
      };
    });
  }
}
