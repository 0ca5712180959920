import { type Fix, type Geofence, metersBetween, metersToEdge } from "./Geofence.ts";

/** A device and the geofences around it. */
export interface Tracking {
  readonly fences: ReadonlyArray<Geofence>;
  /** The position that the geofences were asked for; null before. */
  readonly origin: { readonly latitude: number; readonly longitude: number } | null;
  /** The time of that request, in epoch milliseconds. */
  readonly askedAt: number;
  /** Metres from the origin within which every geofence is known; null for all. */
  readonly reach: number | null;
  /** Geofences, by id, that the device is in; false where it may be in or out. Others it is not in. */
  readonly inside: Readonly<Record<string, boolean>>;
  /** The time of the last fix that was sent, in epoch milliseconds. */
  readonly sentAt: number;
}

/** A device that knows nothing. */
export const unknown: Tracking = { fences: [], origin: null, askedAt: 0, reach: 0, inside: {}, sentAt: 0 };

/** So many geofences are asked for. */
export const maxFences = 100;

/** The server ignores a less precise fix, and counts at most `maxLeeway` metres of it (contract L9). */
const maxAccuracy = 200;
const maxLeeway = 100;

/** A fix without a change is sent after so many milliseconds. */
const sendEvery = 300_000;

/** The same while the geofences could not be asked for, so that each fix may matter. */
const sendBlindEvery = 30_000;

/** Metres from an edge within which the server decides: its arithmetic rounds otherwise. */
const margin = 1;

/** Campaigns start and end meanwhile, so the geofences are asked for again after so many milliseconds. */
const askEvery = 3_600_000;

/** Whether a fix is so imprecise that it changes nothing. */
export const isCoarse = ({ accuracy }: Fix): boolean => accuracy > maxAccuracy;

/** Whether the geofences have to be asked for at a fix: after half of the distance that they reach. */
export const needsFences = ({ askedAt, origin, reach }: Tracking, fix: Fix): boolean =>
  origin === null ||
  Math.abs(fix.at - askedAt) >= askEvery ||
  (reach !== null && metersBetween(origin, fix) >= reach / 2);

/** The geofences that the server answered with for a fix. Those that the device is in stay till it leaves. */
export const withFences = (tracking: Tracking, fences: ReadonlyArray<Geofence>, fix: Fix): Tracking => ({
  ...tracking,
  fences: tracking.fences
    .filter(
      ({ location_id: id }) => id in tracking.inside && fences.every((fence) => fence.location_id !== id),
    )
    .concat(fences),
  origin: fix,
  askedAt: fix.at,
  reach: fences.length < maxFences ? null : Math.max(...fences.map((fence) => fence.distance_meters)),
});

/**
 * Follows a fix: whether it is sent, and what is known after it. It is sent if the device has entered or left
 * a geofence by the server's rule, or may have, and otherwise every five minutes (contracts BW5, L9). The
 * server ignores one that is older than the last that it got. `isBlind` says that the geofences are not those
 * around the fix.
 */
export const follow = (
  tracking: Tracking,
  fix: Fix,
  isBlind = false,
): { readonly tracking: Tracking; readonly isSent: boolean } => {
  const since = fix.at - tracking.sentAt;
  // A longer way back is that of a clock.
  if (isCoarse(fix) || (since <= 0 && since > -sendEvery)) return { tracking, isSent: false };
  const leeway = Math.min(fix.accuracy, maxLeeway);
  const inside: Record<string, boolean> = {};
  let isSent = Math.abs(since) >= (isBlind ? sendBlindEvery : sendEvery);
  for (const fence of tracking.fences) {
    const id = fence.location_id;
    const before = tracking.inside[id];
    const distance = metersToEdge(fence, fix);
    if (distance < -margin) {
      inside[id] = true;
      isSent ||= before !== true;
    } else if (before === true && distance < leeway - margin) {
      inside[id] = true;
    } else if (distance <= margin || (before !== undefined && distance <= leeway + margin)) {
      inside[id] = false;
      isSent ||= before === true || distance <= margin || distance >= leeway - margin;
    } else isSent ||= before !== undefined;
  }
  return { tracking: { ...tracking, inside, sentAt: isSent ? fix.at : tracking.sentAt }, isSent };
};
