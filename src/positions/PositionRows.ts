/** The rows of statements on where devices are. */
import type { TenantKey } from "../workspaces/Environment.ts";
import type { DeviceKey, LocationKey } from "../wire/Ids.ts";

/** The key of a device. */
export interface PositionDevice extends TenantKey {
  readonly deviceKey: DeviceKey;
}

/** A device of a batch, with the locations that its positions are in. */
export interface BatchDevice extends PositionDevice {
  readonly candidates: ReadonlySet<LocationKey>;
}

/** A device at a location. */
export interface DeviceLocation extends PositionDevice {
  readonly locationKey: LocationKey;
}

/** The last position to store for a device, and the stored one as it was read; epoch milliseconds. */
export interface LastPosition extends PositionDevice {
  readonly lastAt: number;
  /** Null or -Infinity for none. */
  readonly previousAt: number | null;
}

/**
 * The stored state of a device (`ord`, from 1): the time of its last position if `location_key` is null (`at`
 * is null for none), or its presence at a location. Epoch milliseconds.
 */
export type KnownRow =
  | { readonly ord: number; readonly location_key: null; readonly inside: null; readonly at: number | null }
  | {
      readonly ord: number;
      readonly location_key: LocationKey;
      readonly inside: boolean;
      readonly at: number;
    };

/** Positions of a device that are all in the same locations. Epoch milliseconds; location keys in order. */
export interface Unmoved {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly locationKeys: ReadonlyArray<LocationKey>;
}

/** A device with its positions; null if they must be followed. */
export interface UnmovedDevice extends BatchDevice {
  readonly unmoved: Unmoved | null;
}
