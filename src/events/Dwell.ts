import type { TenantKey } from "../workspaces/Environment.ts";
import type { IncomingEvent } from "./IncomingEvent.ts";
import type { TriggerMatch } from "./EventsSql.ts";
import { isRecent } from "./Transition.ts";
import type { ContentKey, DeviceKey, LocationKey } from "../wire/Ids.ts";

/**
 * A visit that an on_dwell notification waits for (contract P1): it began with an enter, and is due at the
 * minute that it must last until. Instants are epoch milliseconds.
 */
export interface Dwell extends TenantKey {
  readonly deviceKey: DeviceKey;
  /** The enter that it began with. */
  readonly eventId: string;
  /** Identifies the notification on its campaign. */
  readonly attachmentId: string;
  readonly locationKey: LocationKey;
  /** The content when the enter was recorded: a later change counts for later visits (contract X22). */
  readonly contentKey: ContentKey;
  readonly contentType: TriggerMatch["type"];
  readonly maxSilenceMinutes: number | null;
  readonly enteredAt: number;
  readonly recordedAt: number;
  readonly dueAt: number;
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

/** The dwells that an enter begins. One whose minute is over 15 minutes past begins none (contract X22). */
export const dwellsOf = (incomingEvent: IncomingEvent): ReadonlyArray<Dwell> => {
  if (incomingEvent.type !== "enter") return [];
  const { deviceKey, environment, id, locationKey, occurredAt, receivedAt, workspaceId } = incomingEvent;
  return incomingEvent.triggerMatches.flatMap((triggerMatch): ReadonlyArray<Dwell> => {
    const minutes = triggerMatch.dwell_minutes;
    if (triggerMatch.trigger_type !== "on_dwell" || minutes === null) return [];
    const dueAt = occurredAt + minutes * minuteMillis;
    if (!isRecent(dueAt, receivedAt)) return [];
    return [
      {
        workspaceId,
        environment,
        deviceKey,
        eventId: id,
        attachmentId: triggerMatch.attachment_id,
        locationKey,
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
