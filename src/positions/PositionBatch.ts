import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import type { PlaceIndex } from "../locations/geometry/LocationIndex.ts";
import { idAt } from "../wire/Ids.ts";
import { isCoarse } from "./Position.ts";
import type { DevicePlace, KnownRow, SteadyFixes, TrackedDevice } from "./PositionsSql.ts";
import type { Report } from "../events/EventBatch.ts";
import { follow, isStale, type Move, type PlacedFix, type Track } from "./DeviceLocationState.ts";

/** The positions that one device reported in one request, as far as they could be read. */
export interface FixReport {
  readonly caller: DeviceCaller["Service"];
  /** Epoch milliseconds. */
  readonly now: number;
  /** The places by which they were found; exits are found by the same. */
  readonly index: PlaceIndex;
  readonly fixes: ReadonlyArray<PlacedFix>;
}

/** What a report came to. */
interface Followed {
  readonly accepted: number;
  readonly stale: number;
  readonly moves: ReadonlyArray<Move>;
}

/** Reports that are followed together, each device once, in the order in which they came. */
export class FixBatch {
  readonly reports: ReadonlyArray<FixReport>;
  readonly devices: ReadonlyArray<TrackedDevice>;
  /** Which of the devices a report is of, from 0. */
  readonly deviceOf: ReadonlyArray<number>;

  constructor(reports: ReadonlyArray<FixReport>) {
    this.reports = reports;
    const places = new Map<string, number>();
    const devices: Array<TrackedDevice> = [];
    this.deviceOf = reports.map(({ caller: { deviceNo, environment, workspaceId } }) => {
      const key = `${workspaceId}/${environment}/${deviceNo}`;
      const known = places.get(key);
      if (known !== undefined) return known;
      places.set(key, devices.length);
      return devices.push({ workspaceId, environment, deviceNo }) - 1;
    });
    this.devices = devices;
  }

  /** Each place that holds a position, beside the device (`ord`, from 1) whose position it is. */
  get candidates(): ReadonlyArray<{ readonly ord: number; readonly locationNo: number }> {
    return this.reports.flatMap(({ fixes }, report) => {
      const ord = (this.deviceOf[report] ?? 0) + 1;
      const numbers = new Set(fixes.flatMap(({ at }) => at.map(({ no }) => no)));
      return [...numbers].map((locationNo) => ({ ord, locationNo }));
    });
  }

  /** Of each device its positions, if all of them are exact, in their order and at the same places; else null. */
  get steady(): ReadonlyArray<SteadyFixes | null> {
    const steady = this.devices.map((): SteadyFixes | null | undefined => undefined);
    this.reports.forEach(({ fixes }, report) => {
      const device = this.deviceOf[report] ?? -1;
      for (const { at, fix } of fixes) {
        const before = steady[device];
        const places = at.map(({ no }) => no).toSorted((a, b) => a - b);
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
  tracks(
    rows: ReadonlyArray<KnownRow>,
    held: ReadonlyArray<{ readonly ord: number }> = this.devices.map((_, at) => ({ ord: at + 1 })),
  ): ReadonlyArray<Track | null> {
    const registered = new Set(held.map(({ ord }) => ord - 1));
    const tracks = this.devices.map((_, place): Track | null =>
      registered.has(place) ? { last: -Infinity, stays: new Map() } : null,
    );
    for (const { at, inside, location_no, ord } of rows) {
      const track = tracks[ord - 1] ?? null;
      if (track === null) continue;
      if (location_no === null) track.last = at ?? -Infinity;
      else track.stays.set(location_no, { inside, changedAt: at });
    }
    return tracks;
  }

  /** Follows the positions of one report; null where its device is not registered. */
  follow(report: number, tracks: ReadonlyArray<Track | null>): Followed | null {
    const track = tracks[this.deviceOf[report] ?? -1] ?? null;
    const sent = this.reports[report];
    if (track === null || sent === undefined) return null;
    let accepted = 0;
    const moves: Array<Move> = [];
    for (const placed of sent.fixes) {
      if (isStale(track, placed.fix)) continue;
      accepted++;
      if (!isCoarse(placed.fix)) moves.push(...follow(track, placed, sent.index.places));
    }
    return { accepted, stale: sent.fixes.length - accepted, moves };
  }

  /** The moves of each report as events of its device. */
  reported(followed: ReadonlyArray<Followed | null>): ReadonlyArray<Report> {
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
  unplaced(tracks: ReadonlyArray<Track | null>): ReadonlyArray<DevicePlace & { readonly at: number }> {
    const found = new Map<string, DevicePlace & { readonly at: number }>();
    this.reports.forEach(({ index }, report) => {
      const at = this.deviceOf[report] ?? -1;
      const device = this.devices[at];
      for (const [locationNo, { inside }] of tracks[at]?.stays ?? []) {
        if (device !== undefined && inside && !index.places.has(locationNo))
          found.set(`${at}/${locationNo}`, { ...device, at, locationNo });
      }
    });
    return [...found.values()];
  }
}
