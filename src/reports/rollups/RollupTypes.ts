import type { Environment } from "../../workspaces/Environment.ts";
import type { RollupSpan } from "./RollupKeys.ts";

/** Whose rollups: an environment of a workspace by its internal key. */
export interface RollupTenant {
  readonly workspaceId: number;
  readonly environment: Environment;
}

/** An environment where there is something to roll up, and the zone that its workspace has now. */
export interface WaitingTenant extends RollupTenant {
  readonly timezone: string;
}

/**
 * What the rollups of an environment are made by: base rows from `rolledUpFrom` on (epoch milliseconds), all of them when it is -Infinity, none yet when
 * it is Infinity. They are of no use in another zone than the workspace's; the zone is empty while they are emptied.
 * Months that begin before `monthsBefore` (`YYYY-MM-DD`) have rows; none until all base rows are rolled up.
 */
export interface RollupState {
  readonly timezone: string;
  readonly rolledUpFrom: number;
  readonly monthsBefore: string;
}

/** Settled deliveries that a feed row tells of; `devices` as `array_send` writes them, `quarter` in epoch milliseconds. */
export interface DeliveryDeltas {
  readonly quarter: number;
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly content_type: string;
  readonly trigger_type: string;
  readonly status: string;
  readonly devices: Uint8Array;
}

/** Geofence events that a feed row tells of, in parallel arrays. */
export interface EventDeltas {
  readonly quarter: number;
  readonly device_keys: ReadonlyArray<number>;
  readonly location_keys: ReadonlyArray<number>;
  readonly types: ReadonlyArray<string>;
  readonly event_ids: ReadonlyArray<string>;
}

/** The key of a row of `delivery_rollup` within an environment. */
export interface DeliveryKey extends RollupSpan {
  readonly campaignKey: number;
  readonly notificationKey: number;
  readonly contentType: string;
  readonly triggerType: string;
}

/** The key of a row of `event_rollup` within an environment. */
export interface EventKey extends RollupSpan {
  readonly block: number;
}

/** What happened at a location, 0 for all of them; `stayed` is in microseconds, `devices` the set of those that entered. */
export interface LocationVisits {
  readonly locationKey: number;
  readonly entries: number;
  readonly exits: number;
  readonly stays: number;
  readonly stayed: bigint;
  readonly devices: Uint8Array;
}

/** What is added to a row; its devices and their number replace those that it has. */
export interface DeliveryAddition extends DeliveryKey {
  readonly delivered: number;
  readonly failed: number;
  readonly reached: number;
  readonly devices: Uint8Array;
}

/** What is added to a row, as a block of locations. */
export interface EventAddition extends EventKey {
  readonly visits: Uint8Array;
  readonly devices: Uint8Array;
}

/** How the stays that began in a quarter of an hour at a location have changed; `stayed` is in microseconds. */
export interface ChangedStays {
  readonly location_key: number;
  readonly quarter: number;
  readonly stays: number;
  readonly stayed: bigint;
}

/** What a delivery can be of: its type and its trigger. The place in this list stands for it while rollups are made anew. */
export const outcomeKinds = ["message", "survey"].flatMap((contentType) =>
  ["on_enter", "on_exit", "fixed_time"].map((triggerType) => ({ contentType, triggerType })),
);

/** Settled deliveries, a column each; `settled` in microseconds since 1970, `delivered` 0 where it failed. */
export interface OutcomeColumns {
  readonly devices: Int32Array;
  readonly campaigns: Int32Array;
  readonly notifications: Int32Array;
  readonly kinds: Int32Array;
  readonly delivered: Uint8Array;
  readonly settled: Float64Array;
}

/**
 * Geofence events, a column each; `at` in microseconds since 1970, `entered` 0 for an exit. What `pairs` can begin or end a stay; of other entries
 * `stayed` tells how long they took, in microseconds, not a number where no exit followed.
 */
export interface VisitColumns {
  readonly devices: Int32Array;
  readonly locations: Int32Array;
  readonly entered: Uint8Array;
  readonly pairs: Uint8Array;
  readonly stayed: Float64Array;
  readonly at: Float64Array;
}
