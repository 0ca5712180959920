import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import type { EventRequest } from "../events/IncomingEvent.ts";
import type { LocationIndex } from "../locations/geometry/LocationIndex.ts";
import { idAt, type LocationKey } from "../wire/Ids.ts";
import {
  type DetectedTransition,
  type DeviceLocationState,
  follow,
  isStale,
  type LocatedPosition,
} from "./DeviceLocationState.ts";
import { isCoarse } from "./Position.ts";
import type { BatchDevice, DeviceLocation, KnownRow, Unmoved, UnmovedDevice } from "./PositionRows.ts";

/** The readable positions of one device in one request. */
export interface PositionRequest {
  readonly caller: DeviceCaller["Service"];
  /** Epoch milliseconds. */
  readonly now: number;
  /** The index that located the positions. It also decides about exits. */
  readonly index: LocationIndex;
  readonly positions: ReadonlyArray<LocatedPosition>;
  /** The number of positions that were followed before, in other transactions (`EventParts.ts`). */
  readonly worked: number;
}

/** The result of following the positions of a request. */
interface Followed {
  readonly accepted: number;
  readonly stale: number;
  /** Each with the index of its position. */
  readonly transitions: ReadonlyArray<DetectedTransition & { readonly index: number }>;
}

/** Requests whose positions are processed together, in order. `devices` has each device once. */
export class PositionBatch {
  readonly requests: ReadonlyArray<PositionRequest>;
  readonly devices: ReadonlyArray<BatchDevice>;
  /** The index of each request's device. */
  readonly deviceOf: ReadonlyArray<number>;

  constructor(requests: ReadonlyArray<PositionRequest>) {
    this.requests = requests;
    const indexes = new Map<string, number>();
    const devices: Array<BatchDevice & { readonly candidates: Set<LocationKey> }> = [];
    this.deviceOf = requests.map(({ caller: { deviceKey, environment, workspaceId }, positions }) => {
      const name = `${workspaceId}/${environment}/${deviceKey}`;
      const at = indexes.get(name) ?? devices.length;
      if (at === devices.length) devices.push({ workspaceId, environment, deviceKey, candidates: new Set() });
      indexes.set(name, at);
      for (const { locations } of positions)
        for (const { key } of locations) devices[at]?.candidates.add(key);
      return at;
    });
    this.devices = devices;
  }

  /**
   * The same requests without the positions from an index on. Those of a device whose earlier request is not
   * whole have none: a position is followed after those before it.
   */
  upTo(ends: ReadonlyArray<number>): PositionBatch {
    const cut = new Set<number | undefined>();
    const requests = this.requests.map((each, request) => {
      const device = this.deviceOf[request];
      const positions = each.positions.slice(0, cut.has(device) ? 0 : ends[request]);
      if (positions.length < each.positions.length) cut.add(device);
      return { ...each, positions };
    });
    return new PositionBatch(requests);
  }

  /** The devices, each with its positions if all are precise, in order and in the same locations. */
  unmoved(): ReadonlyArray<UnmovedDevice> {
    const unmoved = this.devices.map((): Unmoved | null | undefined => undefined);
    this.requests.forEach(({ positions }, request) => {
      const device = this.deviceOf[request] ?? -1;
      for (const { locations, position } of positions) {
        const before = unmoved[device];
        const keys = locations.map(({ key }) => key).toSorted((a, b) => a - b);
        const at = position.recorded_at;
        const hasChanged =
          isCoarse(position) ||
          before === null ||
          (before !== undefined && (at <= before.lastAt || String(keys) !== String(before.locationKeys)));
        unmoved[device] = hasChanged
          ? null
          : { firstAt: before?.firstAt ?? at, lastAt: at, locationKeys: keys };
      }
    });
    return this.devices.map((device, index) => ({ ...device, unmoved: unmoved[index] ?? null }));
  }

  /** The states of the devices. `registered` lists those that exist (`ord`, from 1); the others are null. */
  states(
    rows: ReadonlyArray<KnownRow>,
    registered: ReadonlyArray<{ readonly ord: number }>,
  ): ReadonlyArray<DeviceLocationState | null> {
    const states = this.devices.map((): DeviceLocationState | null => null);
    for (const { ord } of registered) states[ord - 1] = { lastAt: -Infinity, presences: new Map() };
    for (const { at, inside, location_key, ord } of rows) {
      const state = states[ord - 1] ?? null;
      if (state === null) continue;
      if (location_key === null) state.lastAt = at ?? -Infinity;
      else state.presences.set(location_key, { inside, changedAt: at });
    }
    return states;
  }

  /** Follows a request's positions and updates its device's state; null if it is not registered. */
  follow(request: number, states: ReadonlyArray<DeviceLocationState | null>): Followed | null {
    const state = states[this.deviceOf[request] ?? -1] ?? null;
    const sent = this.requests[request];
    if (state === null || sent === undefined) return null;
    let accepted = 0;
    const transitions: Array<Followed["transitions"][number]> = [];
    for (const [index, located] of sent.positions.entries()) {
      if (isStale(state, located.position)) continue;
      accepted++;
      if (isCoarse(located.position)) continue;
      for (const transition of follow(state, located, sent.index.locations))
        transitions.push({ ...transition, index });
    }
    return { accepted, stale: sent.positions.length - accepted, transitions };
  }

  /**
   * The detected transitions of each request as events of its device; each position is an entry. Requests of
   * a device stay in their order.
   */
  eventRequests(followed: ReadonlyArray<Followed | null>): ReadonlyArray<EventRequest> {
    return this.requests.map(({ caller, now }, request) => ({
      caller,
      now,
      worked: this.requests[this.deviceOf.indexOf(this.deviceOf[request] ?? -1)]?.worked ?? 0,
      entries: (followed[request]?.transitions ?? []).map(({ index }) => index),
      events: (followed[request]?.transitions ?? []).map(({ at, location, type }) => ({
        event: { id: idAt(now), type, location_id: location.id, occurred_at: at },
        problem: null,
      })),
    }));
  }

  /** Presences at deleted locations. `device` is the index of the device, from 0. */
  atMissingLocations(
    states: ReadonlyArray<DeviceLocationState | null>,
  ): ReadonlyArray<DeviceLocation & { readonly device: number }> {
    const found = new Map<string, DeviceLocation & { readonly device: number }>();
    this.requests.forEach(({ index }, request) => {
      const device = this.deviceOf[request] ?? -1;
      const key = this.devices[device];
      for (const [locationKey, { inside }] of states[device]?.presences ?? []) {
        if (key !== undefined && inside && !index.locations.has(locationKey))
          found.set(`${device}/${locationKey}`, { ...key, device, locationKey });
      }
    });
    return [...found.values()];
  }
}
