import type { IndexedLocation } from "../locations/geometry/IndexedLocation.ts";
import { distanceTo } from "../locations/geometry/BorderDistance.ts";
import { type Position, leewayOf } from "./Position.ts";
import type { TransitionType } from "../events/Transition.ts";

/** Whether a device is at a place, and since when; epoch milliseconds. */
export interface Presence {
  readonly inside: boolean;
  readonly changedAt: number;
}

/** What is known of where a device is, as its positions are followed. */
export interface DeviceLocationState {
  /** The time of its last position that counted; -Infinity for none. */
  last: number;
  /** By the number of the place. */
  readonly stays: Map<number, Presence>;
}

/** A position and the places that hold it. */
export interface LocatedPosition {
  readonly fix: Position;
  readonly at: ReadonlyArray<IndexedLocation>;
}

/** An enter or exit that a position shows. */
export interface DetectedTransition {
  readonly type: TransitionType;
  readonly place: IndexedLocation;
  readonly at: number;
}

/** Whether a position is no news: it is not newer than the last one (contract L9). */
export const isStale = (track: DeviceLocationState, { recorded_at }: Position): boolean =>
  recorded_at <= track.last;

/**
 * Takes a position that is news and says what it shows, exits before enters: the device entered the places that hold it, and left those
 * that it was at and is outside of by more than the position's accuracy (contract L9). What is known of a place for a later
 * moment stands. A place that is not among `places` is gone and cannot be left.
 */
export const follow = (
  track: DeviceLocationState,
  { at, fix }: LocatedPosition,
  places: ReadonlyMap<number, IndexedLocation>,
): ReadonlyArray<DetectedTransition> => {
  const moves: Array<DetectedTransition> = [];
  const leeway = leewayOf(fix);
  const holding = new Set(at);
  const isOpen = (stay: Presence | undefined) => stay === undefined || stay.changedAt <= fix.recorded_at;
  for (const [key, stay] of track.stays) {
    const place = places.get(key);
    if (!stay.inside || place === undefined || holding.has(place) || !isOpen(stay)) continue;
    if (distanceTo(place, [fix.longitude, fix.latitude], leeway) > leeway)
      moves.push({ type: "exit", place, at: fix.recorded_at });
  }
  moves.sort(byPlace);
  const enters = at.flatMap((place): Array<DetectedTransition> => {
    const stay = track.stays.get(place.key);
    return stay?.inside === true || !isOpen(stay) ? [] : [{ type: "enter", place, at: fix.recorded_at }];
  });
  moves.push(...enters.toSorted(byPlace));
  for (const { at: changedAt, place, type } of moves)
    track.stays.set(place.key, { inside: type === "enter", changedAt });
  track.last = fix.recorded_at;
  return moves;
};

const byPlace = (a: DetectedTransition, b: DetectedTransition): number => a.place.key - b.place.key;
