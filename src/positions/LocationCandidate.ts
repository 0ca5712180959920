import type { LocationKey } from "../wire/Ids.ts";

/** A location that a position of a device (`ord`, from 1) is in. */
export interface LocationCandidate {
  readonly ord: number;
  readonly locationKey: LocationKey;
}

/** The candidates of some of all devices, by their numbers among these. */
export const candidatesOf = <Device>(
  all: ReadonlyArray<Device>,
  devices: ReadonlyArray<Device>,
  candidates: ReadonlyArray<LocationCandidate>,
): ReadonlyArray<LocationCandidate> => {
  if (devices.length === all.length) return candidates;
  const ords = new Map(devices.map((device, index) => [device, index + 1]));
  return candidates.flatMap(({ locationKey, ord }) => {
    const device = all[ord - 1];
    const own = device && ords.get(device);
    return own === undefined ? [] : [{ ord: own, locationKey }];
  });
};
