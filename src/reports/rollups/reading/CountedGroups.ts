/**
 * What `DeliveryReader` and `EventReader` add to the rollups: groups of pending deltas, and of raw counts.
 */

/**
 * Settled deliveries of a quarter of an hour (its start in epoch milliseconds), campaign, notification and
 * status. `devices` holds one key for each delivery, as `array_send` writes it.
 */
export interface OutcomeGroup {
  readonly quarter: number;
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly status: string;
  readonly devices: Uint8Array;
}

/**
 * Events of a quarter of an hour (its start in epoch milliseconds), location and type. `devices` holds one
 * key for each event, as `array_send` writes it.
 */
export interface TransitionGroup {
  readonly quarter: number;
  readonly location_key: number;
  readonly type: string;
  readonly count: number;
  readonly devices: Uint8Array;
}

/**
 * Visits that began at a location, by its key, or a change of them: their number and length in microseconds.
 */
export interface VisitChange {
  readonly key: number;
  readonly visits: number;
  readonly visitMicros: bigint;
}
