import type { Properties } from "../notifications/EventFacts.ts";
import { unitKeyOf } from "../sending/arms/Arm.ts";
import type { ContentKey, DeviceKey, LocationKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { Recorded } from "./EventStages.ts";
import { type IncomingCustom, isTransition } from "./IncomingEvent.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { minuteMillis } from "./TriggerRule.ts";

/**
 * A visit that an on_dwell notification waits for (contract P1): it began with an enter, and is due at the
 * minute that it must last until. Or a custom event whose notification has a delay (contract V4), due then.
 * Instants are epoch milliseconds.
 */
export interface Dwell extends TenantKey {
  readonly deviceKey: DeviceKey;
  /** The event that it began with. */
  readonly eventId: string;
  /** Identifies the notification on its campaign. */
  readonly attachmentId: string;
  /** Null for a custom event. */
  readonly locationKey: LocationKey | null;
  /** The facts that a custom event keeps for its minute; null for a visit. */
  readonly event: WaitingEvent | null;
  /** The content when the enter was recorded: a later change counts for later visits (contract X22). */
  readonly contentKey: ContentKey;
  readonly contentType: TriggerMatch["type"];
  readonly maxSilenceMinutes: number | null;
  readonly enteredAt: number;
  readonly recordedAt: number;
  readonly dueAt: number;
}

/** A due dwell. `locationId` is null if the location was deleted, and of a custom event. */
export interface DueDwell extends Dwell {
  readonly locationId: string | null;
}

/** The facts that a custom event keeps for its minute. */
export interface WaitingEvent {
  /** Whose events can stop the message, as `custom_event` has it. */
  readonly unit: number;
  /** The person whose devices can get the message; null for that of the event alone. */
  readonly userKey: number | null;
  readonly properties: Properties;
  readonly unless: string | null;
}

/** The state of a dwell's visit, by the events that are known at its minute. */
export interface Visit {
  /** False for a second enter without an exit between: the visit is that of the first one (contract X21). */
  readonly isFirst: boolean;
  /** Whether an exit came before the minute. */
  readonly hasEnded: boolean;
  /** Whether a later enter of the same visit has been decided. */
  readonly isDecided: boolean;
  /** The latest report of the device in epoch milliseconds, if the dwell limits silence; else null. */
  readonly heardAt: number | null;
}

/** The dwells that a recorded event begins. */
export const dwellsOf = (event: Recorded): ReadonlyArray<Dwell> =>
  event.waits.map(({ dueAt, match }) => ({
    workspaceId: event.workspaceId,
    environment: event.environment,
    deviceKey: event.deviceKey,
    eventId: event.id,
    attachmentId: match.attachment_id,
    locationKey: event.locationKey,
    event: isTransition(event) ? null : waitingEventOf(event, match.event?.unless ?? null),
    contentKey: match.content_key,
    contentType: match.type,
    maxSilenceMinutes: match.max_silence_minutes,
    enteredAt: event.occurredAt,
    recordedAt: event.receivedAt,
    dueAt,
  }));

/** The facts that an event keeps for the minute of a notification. */
const waitingEventOf = (
  { device, deviceKey, person, properties }: Recorded & IncomingCustom,
  unless: string | null,
): WaitingEvent => ({
  unit: unitKeyOf(deviceKey, device.user_key),
  userKey: person?.userKey ?? null,
  properties,
  unless,
});

/** Whether the visit lasted until the minute, and no other dwell has been decided for it. */
export const hasLasted = ({ hasEnded, isDecided, isFirst }: Visit): boolean =>
  isFirst && !hasEnded && !isDecided;

/** Whether the device has reported nothing for longer than the dwell allows (contract X23a). */
export const isSilent = ({ dueAt, maxSilenceMinutes }: Dwell, { heardAt }: Visit): boolean =>
  maxSilenceMinutes !== null && (heardAt ?? -Infinity) < dueAt - maxSilenceMinutes * minuteMillis;
