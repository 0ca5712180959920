import type { TenantKey } from "../workspaces/Environment.ts";
import type { Properties } from "../notifications/EventFacts.ts";
import { type IncomingEvent, isTransition } from "./IncomingEvent.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { isInTime } from "./TriggerRule.ts";
import { isRecent } from "./Transition.ts";
import type { ContentKey, DeviceKey, LocationKey } from "../wire/Ids.ts";

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

const minuteMillis = 60_000;

/** The event that an event of a batch keeps for the minute of a notification; null for an enter. */
const waitingEventOf = (event: IncomingEvent, unless: string | null): WaitingEvent | null => {
  if (isTransition(event)) return null;
  const { deviceKey, person, properties, recorded } = event;
  const owner = recorded.get(deviceKey)?.user_key ?? null;
  return { unit: owner === null ? deviceKey : -owner, userKey: person?.userKey ?? null, properties, unless };
};

/** The minutes that a notification waits after an event; null if it does not wait for this one. */
const minutesOf = ({ dwell_minutes, event, trigger_type }: TriggerMatch, type: IncomingEvent["type"]) => {
  if (type === "custom") return event?.delayMinutes || null;
  return type === "enter" && trigger_type === "on_dwell" ? dwell_minutes : null;
};

/**
 * The dwells that an event begins, which is recorded. A notification whose minute is over 15
 * minutes past waits for none (contract X22, Z30), nor for a custom event before or after its time (Z31).
 */
export const dwellsOf = (incomingEvent: IncomingEvent): ReadonlyArray<Dwell> => {
  const { deviceKey, environment, id, locationKey, occurredAt, receivedAt, workspaceId } = incomingEvent;
  return incomingEvent.triggerMatches.flatMap((triggerMatch): ReadonlyArray<Dwell> => {
    const minutes = minutesOf(triggerMatch, incomingEvent.type);
    if (minutes === null) return [];
    const dueAt = occurredAt + minutes * minuteMillis;
    if (!isRecent(dueAt, receivedAt)) return [];
    if (incomingEvent.type === "custom" && !isInTime(triggerMatch, occurredAt)) return [];
    return [
      {
        workspaceId,
        environment,
        deviceKey,
        eventId: id,
        attachmentId: triggerMatch.attachment_id,
        locationKey,
        event: waitingEventOf(incomingEvent, triggerMatch.event?.unless ?? null),
        contentKey: triggerMatch.content_key,
        contentType: triggerMatch.type,
        maxSilenceMinutes: triggerMatch.max_silence_minutes,
        enteredAt: occurredAt,
        recordedAt: receivedAt,
        dueAt,
      },
    ];
  });
};

/** Whether the visit lasted until the minute, and no other dwell has been decided for it. */
export const hasLasted = ({ hasEnded, isDecided, isFirst }: Visit): boolean =>
  isFirst && !hasEnded && !isDecided;

/** Whether the device has reported nothing for longer than the dwell allows (contract X23a). */
export const isSilent = ({ dueAt, maxSilenceMinutes }: Dwell, { heardAt }: Visit): boolean =>
  maxSilenceMinutes !== null && (heardAt ?? -Infinity) < dueAt - maxSilenceMinutes * minuteMillis;
