import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import type { LocationIndex } from "../locations/geometry/LocationIndex.ts";
import { idAt } from "../wire/Ids.ts";
import { isCoarse } from "./Position.ts";
import type { DeviceLocation, KnownRow, UnchangedPositions, PositionDevice } from "./PositionsSql.ts";
import type { EventRequest } from "../events/EventBatch.ts";
import {
  follow,
  isStale,
  type DetectedTransition,
  type LocatedPosition,
  type DeviceLocationState,
} from "./DeviceLocationState.ts";

/** The positions that one device reported in one request, as far as they could be read. */
export interface PositionRequest {
  readonly caller: DeviceCaller["Service"];
  /** Epoch milliseconds. */
  readonly now: number;
  /** The places by which they were found; exits are found by the same. */
  readonly index: LocationIndex;
  readonly fixes: ReadonlyArray<LocatedPosition>;
}

/** What a report came to. */
interface Followed {
  readonly accepted: number;
  readonly stale: number;
  readonly moves: ReadonlyArray<DetectedTransition>;
}

/** Reports that are followed together, each device once, in the order in which they came. */
export class PositionBatch {
  readonly reports: ReadonlyArray<PositionRequest>;
  readonly devices: ReadonlyArray<PositionDevice>;
  /** Which of the devices a report is of, from 0. */
  readonly deviceOf: ReadonlyArray<number>;

  constructor(reports: ReadonlyArray<PositionRequest>) {
    this.reports = reports;
    const places = new Map<string, number>();
    const devices: Array<PositionDevice> = [];
    this.deviceOf = reports.map(({ caller: { deviceKey, environment, workspaceId } }) => {
      const key = `${workspaceId}/${environment}/${deviceKey}`;
      const known = places.get(key);
      if (known !== undefined) return known;
      places.set(key, devices.length);
      return devices.push({ workspaceId, environment, deviceKey }) - 1;
    });
    this.devices = devices;
  }

  /** Each place that holds a position, beside the device (`ord`, from 1) whose position it is. */
  get candidates(): ReadonlyArray<{ readonly ord: number; readonly locationKey: number }> {
    return this.reports.flatMap(({ fixes }, report) => {
      const ord = (this.deviceOf[report] ?? 0) + 1;
      const numbers = new Set(fixes.flatMap(({ at }) => at.map(({ key }) => key)));
      return [...numbers].map((locationKey) => ({ ord, locationKey }));
    });
  }

  /** Of each device its positions, if all of them are exact, in their order and at the same places; else null. */
  get steady(): ReadonlyArray<UnchangedPositions | null> {
    const steady = this.devices.map((): UnchangedPositions | null | undefined => undefined);
    this.reports.forEach(({ fixes }, report) => {
      const device = this.deviceOf[report] ?? -1;
      for (const { at, fix } of fixes) {
        const before = steady[device];
        const places = at.map(({ key }) => key).toSorted((a, b) => a - b);
        const isFollowed =
          isCoarse(fix) ||
          before === null ||
          (before !== undefined &&
            (fix.recorded_at <= before.last || String(places) !== String(before.places)));
        steady[device] = isFollowed
          ? null
          : { first: before?.first ?? fix.recorded_at, last: fix.recorded_at, places };
      }
    });
    return steady.map((fixes) => fixes ?? null);
  }

  /** What is known of the devices in their order; null for one that is not among the held. */
  states(
    rows: ReadonlyArray<KnownRow>,
    held: ReadonlyArray<{ readonly ord: number }> = this.devices.map((_, at) => ({ ord: at + 1 })),
  ): ReadonlyArray<DeviceLocationState | null> {
    const registered = new Set(held.map(({ ord }) => ord - 1));
    const states = this.devices.map((_, place): DeviceLocationState | null =>
      registered.has(place) ? { last: -Infinity, stays: new Map() } : null,
    );
    for (const { at, inside, location_key, ord } of rows) {
      const track = states[ord - 1] ?? null;
      if (track === null) continue;
      if (location_key === null) track.last = at ?? -Infinity;
      else track.stays.set(location_key, { inside, changedAt: at });
    }
    return states;
  }

  /** Follows the positions of one report; null where its device is not registered. */
  follow(report: number, states: ReadonlyArray<DeviceLocationState | null>): Followed | null {
    const track = states[this.deviceOf[report] ?? -1] ?? null;
    const sent = this.reports[report];
    if (track === null || sent === undefined) return null;
    let accepted = 0;
    const moves: Array<DetectedTransition> = [];
    for (const placed of sent.fixes) {
      if (isStale(track, placed.fix)) continue;
      accepted++;
      if (!isCoarse(placed.fix)) moves.push(...follow(track, placed, sent.index.locations));
    }
    return { accepted, stale: sent.fixes.length - accepted, moves };
  }

  /** The moves of each report as events of its device. */
  reported(followed: ReadonlyArray<Followed | null>): ReadonlyArray<EventRequest> {
    return this.reports.map(({ caller, now }, report) => ({
      caller,
      now,
      events: (followed[report]?.moves ?? []).map(({ at, place, type }) => ({
        _tag: "Read" as const,
        transition: { id: idAt(now), type, location_id: place.id, occurred_at: at },
        problem: null,
      })),
    }));
  }

  /** Where devices (`at`, from 0) are that have no place among those of their reports: it is likely gone. */
  unplaced(
    states: ReadonlyArray<DeviceLocationState | null>,
  ): ReadonlyArray<DeviceLocation & { readonly at: number }> {
    const found = new Map<string, DeviceLocation & { readonly at: number }>();
    this.reports.forEach(({ index }, report) => {
      const at = this.deviceOf[report] ?? -1;
      const device = this.devices[at];
      for (const [locationKey, { inside }] of states[at]?.stays ?? []) {
        if (device !== undefined && inside && !index.locations.has(locationKey))
          found.set(`${at}/${locationKey}`, { ...device, at, locationKey });
      }
    });
    return [...found.values()];
  }
}
