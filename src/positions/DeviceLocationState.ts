import type { TransitionType } from "../events/Transition.ts";
import { distanceTo } from "../locations/geometry/BorderDistance.ts";
import type { IndexedLocation } from "../locations/geometry/IndexedLocation.ts";
import { leewayOf, type Position } from "./Position.ts";
import type { LocationKey } from "../wire/Ids.ts";

/** Whether a device is inside a location, and since when (epoch milliseconds). */
export interface Presence {
  readonly inside: boolean;
  readonly changedAt: number;
}

/** The last position of a device, and where it is. */
export interface DeviceLocationState {
  /** The time of its last position in epoch milliseconds; -Infinity for none. */
  lastAt: number;
  readonly presences: Map<LocationKey, Presence>;
}

/** A position, with the locations that contain it. */
export interface LocatedPosition {
  readonly position: Position;
  readonly locations: ReadonlyArray<IndexedLocation>;
}

/** An enter or exit that a position shows. */
export interface DetectedTransition {
  readonly type: TransitionType;
  readonly location: IndexedLocation;
  readonly at: number;
}

/** Whether a position is not newer than the last one: it changes nothing (contract L9). */
export const isStale = ({ lastAt }: DeviceLocationState, { recorded_at }: Position): boolean =>
  recorded_at <= lastAt;

/**
 * Updates the state by a newer position and returns the transitions it shows, exits first (contract L9). The
 * device enters the locations that contain the position. It leaves those that it is outside of by more than
 * the position's accuracy. A presence that changed later than the position stays. A deleted location, which
 * is not among `existing`, cannot be left.
 */
export const follow = (
  state: DeviceLocationState,
  { locations, position }: LocatedPosition,
  existing: ReadonlyMap<LocationKey, IndexedLocation>,
): ReadonlyArray<DetectedTransition> => {
  const { latitude, longitude, recorded_at: at } = position;
  const leeway = leewayOf(position);
  const containing = new Set(locations);
  const canChange = (presence: Presence | undefined) => presence === undefined || presence.changedAt <= at;
  const exits: Array<DetectedTransition> = [];
  for (const [key, presence] of state.presences) {
    const location = existing.get(key);
    if (!presence.inside || location === undefined || containing.has(location) || !canChange(presence))
      continue;
    if (distanceTo(location, [longitude, latitude], leeway) > leeway)
      exits.push({ type: "exit", location, at });
  }
  const enters = locations.flatMap((location): Array<DetectedTransition> => {
    const presence = state.presences.get(location.key);
    return presence?.inside === true || !canChange(presence) ? [] : [{ type: "enter", location, at }];
  });
  const transitions = [...exits.toSorted(byLocation), ...enters.toSorted(byLocation)];
  for (const { location, type } of transitions)
    state.presences.set(location.key, { inside: type === "enter", changedAt: at });
  state.lastAt = at;
  return transitions;
};

const byLocation = (a: DetectedTransition, b: DetectedTransition): number => a.location.key - b.location.key;
