import type { Environment, TenantKey } from "../../workspaces/Environment.ts";
import type { RollupSpan } from "./RollupKeys.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";

/** An environment with work for the rollup job, and the present time zone of its workspace. */
export interface PendingTenant extends TenantKey {
  readonly timezone: TimeZoneName;
}

/**
 * The coverage of an environment's rollups: source rows from `rolledUpFrom` on (epoch milliseconds), all for
 * -Infinity, none for Infinity. Their days are local in `timezone`; it is empty while they are invalid.
 * Months that begin before `monthsBefore` (`YYYY-MM-DD`) have rows; none until all source rows are rolled up.
 */
export interface RollupState {
  readonly timezone: TimeZoneName;
  readonly rolledUpFrom: number;
  readonly monthsBefore: string;
}

/** The zone that days are local in, and before which day months begin that have rows. */
export type Calendar = Pick<RollupState, "timezone" | "monthsBefore">;

/** A row while it is summed. */
export type Mutable<A> = { -readonly [name in keyof A]: A[name] };

/**
 * The rollups of an environment, for operators. `complete`: reports read rollups and pending deltas.
 * `rebuilding`: for older days they count source rows. `invalid`: they count source rows only, until a worker
 * starts the rebuild.
 */
export interface EnvironmentRollups {
  /** The public id of the workspace. */
  readonly workspace: string;
  readonly name: string;
  readonly environment: Environment;
  readonly state: "complete" | "rebuilding" | "invalid";
  /** Deltas that are not rolled up yet, of deliveries and of events. */
  readonly pending_deltas: number;
}

/**
 * Settled deliveries of a quarter of an hour (its start in epoch milliseconds), campaign, notification and
 * status, of pending deltas or counted in source rows. `devices` has a key for each delivery, as `array_send`
 * writes it.
 */
export interface OutcomeGroup {
  readonly quarter: number;
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly status: string;
  readonly devices: Uint8Array;
}

/**
 * Events of a quarter of an hour (its start in epoch milliseconds) and location, of pending deltas or counted
 * in source rows. `devices` has a key for each entry, as `array_send` writes it; no bytes for none.
 */
export interface TransitionGroup {
  readonly quarter: number;
  readonly location_key: number;
  readonly entries: number;
  readonly exits: number;
  readonly devices: Uint8Array;
}

/** The entries and exits of a `TransitionGroup`; `devices` has a key for each entry. */
export interface TransitionDelta extends Omit<TransitionGroup, "devices"> {
  readonly devices: Iterable<number>;
}

/** Visits that began at a location, or a change of them. */
export interface VisitChange {
  readonly location_key: number;
  readonly visits: number;
  readonly visitMicros: bigint;
}

/** A row of `delivery_delta`. */
export interface DeliveryDelta extends OutcomeGroup {
  readonly content_type: string;
  readonly trigger_type: string;
}

/** An event of a row of `event_delta`, with its quarter of an hour (epoch milliseconds). */
export interface PendingEvent {
  readonly quarter: number;
  readonly device: number;
  readonly location: number;
  readonly type: string;
  readonly id: string;
}

/** Deltas to add to the rollups: those that were pending, or new ones of source rows. */
export interface Deltas {
  readonly deliveries: ReadonlyArray<DeliveryDelta>;
  readonly transitions: ReadonlyArray<TransitionDelta>;
  readonly visits: ReadonlyArray<VisitChange & { readonly quarter: number }>;
  readonly interactions: ReadonlyArray<InteractionDelta>;
  readonly answers: ReadonlyArray<AnswerDelta>;
}

/** The key of a row of `delivery_rollup` within an environment. Key 0 and type '' stand for all. */
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

/** The figures of a location, 0 for all locations. `devices` is the set of those that entered. */
export interface LocationFigures {
  readonly locationKey: number;
  readonly entries: number;
  readonly exits: number;
  readonly visits: number;
  readonly visitMicros: bigint;
  readonly devices: Uint8Array;
}

/** An addition to a row. Its devices and their number replace the row's. */
export interface DeliveryAddition extends DeliveryKey {
  readonly delivered: number;
  readonly failed: number;
  readonly reached: number;
  readonly devices: Uint8Array;
}

/** An addition to a row, as a block of locations. */
export interface EventAddition extends EventKey {
  readonly figures: Uint8Array;
  readonly devices: Uint8Array;
}

/** Deliveries that were opened and clicked, and devices that answered a survey of a campaign. */
export interface InteractionCounts {
  readonly opened: number;
  readonly clicked: number;
  readonly responses: number;
}

/** A row of `interaction_delta`, or of source rows of a day: changes in a quarter of an hour (epoch ms). */
export interface InteractionDelta extends InteractionCounts {
  readonly quarter: number;
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly content_type: string;
  readonly trigger_type: string;
}

/** An addition to a row of `interaction_rollup`. */
export interface InteractionAddition extends DeliveryKey, InteractionCounts {}

/** How often each value was given. The values are those of the SQL function `answer_value`. */
export type ValueCounts = Readonly<Record<string, number>>;

/** A row of `answer_delta`, or of source rows of a day: a change of how often values were given. */
export interface AnswerDelta {
  readonly quarter: number;
  readonly campaign_key: number;
  readonly notification_key: number;
  readonly question_id: string;
  readonly counts: ValueCounts;
}

/** The key of a row of `answer_rollup` within an environment. */
export interface AnswerKey extends RollupSpan {
  readonly campaignKey: number;
  readonly notificationKey: number;
  readonly questionId: string;
}

/** An addition to a row of `answer_rollup`. */
export interface AnswerAddition extends AnswerKey {
  readonly counts: ValueCounts;
}
