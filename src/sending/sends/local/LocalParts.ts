import { type LateChoice, localInstant, nextCheck } from "../../../campaigns/LocalSend.ts";
import { dayEnd, type WallTime, wallParts } from "../../../time/LocalTime.ts";
import type { TimeZoneName } from "../../../time/TimeZone.ts";

/** A send at a local time between its parts. Instants are epoch milliseconds. */
export interface LocalState {
  readonly localAt: WallTime;
  readonly late: LateChoice;
  readonly plannedAt: number;
  /** Parts before this instant are fixed. */
  readonly nextAt: number;
  /** Whether a part of it has run. */
  readonly hasRun: boolean;
}

/** The devices of the zones in which the time comes at one instant. */
export interface LocalPart {
  readonly dueAt: number;
  readonly zones: ReadonlyArray<TimeZoneName>;
  /** Whether devices without a zone belong to it: they have that of the campaign. */
  readonly hasRest: boolean;
  readonly status: "scheduled" | "running" | "skipped" | "missed";
  /** Whether the time had passed when the send was planned. */
  readonly isLate: boolean;
}

const minuteMillis = 60_000;

/**
 * The parts of a send that are not fixed, in order of time, from the zones of registered devices (null for
 * none). Those whose instant has come run, or are skipped or missed: `missed` is a part for which no process
 * ran until the day was over in its zones (contract L2, P3).
 */
export const partsOf = (
  { late, localAt, nextAt, plannedAt }: LocalState,
  zones: ReadonlyArray<TimeZoneName | null>,
  campaignZone: TimeZoneName,
  now: number,
): ReadonlyArray<LocalPart> => {
  const { date } = wallParts(localAt);
  const byInstant = Map.groupBy(zones, (zone) => localInstant(zone ?? campaignZone, localAt));
  return [...byInstant]
    .filter(([dueAt]) => dueAt >= nextAt)
    .toSorted(([a], [b]) => a - b)
    .map(([dueAt, members]): LocalPart => {
      const isLate = dueAt < plannedAt;
      const isOver = (zone: TimeZoneName | null) =>
        now > dayEnd(zone ?? campaignZone, date) && now >= dueAt + minuteMillis;
      const reached = isLate || dueAt > now ? members : members.filter((zone) => !isOver(zone));
      const shown = reached.length === 0 ? members : reached;
      const status = isLate && late === "skip" ? "skipped" : reached.length === 0 ? "missed" : "running";
      return {
        dueAt,
        zones: shown.flatMap((zone) => zone ?? []),
        hasRest: shown.includes(null),
        status: dueAt > now ? "scheduled" : status,
        isLate,
      };
    });
};

/**
 * When a worker checks for parts next; null if none can come: after the last instant in the world, or once a
 * part has run and no registered device is in a zone that is still to come.
 */
export const nextCheckOf = (
  { hasRun, localAt }: LocalState,
  parts: ReadonlyArray<LocalPart>,
  now: number,
): number | null => {
  const isMore = parts.some(({ status }) => status === "scheduled");
  const isRunning = hasRun || parts.some(({ status }) => status === "running");
  return isMore || !isRunning ? nextCheck(localAt, now) : null;
};
