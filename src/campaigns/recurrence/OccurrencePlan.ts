/** Which sends the dates of a recurring campaign need, as pure rules (contract V2, Z23). */
import { addDays } from "../../time/DayNumbers.ts";
import {
  dateAt,
  dayStart,
  instantAt,
  type LocalDate,
  type TimeOfDay,
  type WallTime,
} from "../../time/LocalTime.ts";
import { type CampaignId, idAt, type NotificationId } from "../../wire/Ids.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { firstInstantOf, type LateChoice, type LocalPlan } from "../LocalSend.ts";
import { lastInstant, occurrencesBetween, planHorizon, type RecurringDates } from "./Occurrences.ts";

/** The sending time of a notification on a campaign; `late` is null unless it is in each device's zone. */
export interface SendTime {
  readonly notificationId: NotificationId;
  readonly sendAt: TimeOfDay;
  readonly late: LateChoice | null;
}

/** The send of a notification on a date. Instants are epoch milliseconds. */
export interface OccurrenceSend {
  readonly notificationId: NotificationId;
  readonly occurrence: LocalDate;
  readonly dueAt: number;
  /** Its plan if it is sent at a local time, else null. */
  readonly local: LocalPlan | null;
}

/** A campaign of any environment. */
export interface CampaignRef extends TenantKey {
  readonly campaignId: CampaignId;
}

/** A send of a date to store. */
export interface NewOccurrence extends CampaignRef, OccurrenceSend {
  readonly id: string;
}

/** A send of a date with a new id. */
export const newOccurrence = (
  { environment, workspaceId }: TenantKey,
  campaignId: CampaignId,
  send: OccurrenceSend,
  now: number,
): NewOccurrence => ({ ...send, environment, workspaceId, campaignId, id: idAt(now) });

/** A stored send of a date that has not begun. */
export interface WaitingOccurrence {
  readonly id: string;
  readonly notificationId: NotificationId;
  readonly occurrence: LocalDate;
  readonly dueAt: number;
  readonly localAt: WallTime | null;
  readonly late: LateChoice | null;
}

/** Changes of sends that have not begun, after a change of their campaign or notifications. */
export interface OccurrenceChanges {
  /** Ids of sends that go. */
  readonly removed: ReadonlyArray<string>;
  /** Sends that move, with their ids. */
  readonly moved: ReadonlyArray<OccurrenceSend & { readonly id: string }>;
  readonly added: ReadonlyArray<OccurrenceSend>;
}

const sendOf = (
  timezone: RecurringDates["timezone"],
  occurrence: LocalDate,
  { late, notificationId, sendAt }: SendTime,
  plannedAt: number,
): OccurrenceSend => {
  const localAt = `${occurrence} ${sendAt}` as WallTime;
  return {
    notificationId,
    occurrence,
    dueAt: instantAt(timezone, occurrence, sendAt),
    local: late === null ? null : { localAt, late, plannedAt, nextAt: firstInstantOf(localAt) },
  };
};

/** Whether a stored send is at its time. The due time of one at a local time is that of its next part. */
const isSame = ({ dueAt, local }: OccurrenceSend, stored: WaitingOccurrence): boolean =>
  local === null
    ? stored.localAt === null && stored.dueAt === dueAt
    : stored.localAt === local.localAt && stored.late === local.late;

/**
 * The changes after which the sends of a campaign that have not begun are those of its dates until the
 * horizon. A send that stays keeps its id; one whose minute has passed is neither added nor moved there.
 */
export const changesOf = (
  dates: RecurringDates,
  times: ReadonlyArray<SendTime>,
  waiting: ReadonlyArray<WaitingOccurrence>,
  now: number,
): OccurrenceChanges => {
  const { timezone } = dates;
  const today = dateAt(timezone, now);
  const earliest = waiting.reduce((date, { occurrence }) => (occurrence < date ? occurrence : date), today);
  const days = [...occurrencesBetween(dates, earliest, planHorizon(timezone, now))];
  const known = new Set(days);
  const removed: Array<string> = [];
  const moved: Array<OccurrenceSend & { readonly id: string }> = [];
  for (const each of waiting) {
    const { id, notificationId, occurrence } = each;
    const time = times.find((other) => other.notificationId === notificationId);
    const send = time && known.has(occurrence) ? sendOf(timezone, occurrence, time, now) : null;
    if (send !== null && isSame(send, each)) continue;
    if (send !== null && time !== undefined && lastInstant(timezone, occurrence, time) > now)
      moved.push({ ...send, id });
    else removed.push(id);
  }
  const planned = new Set(waiting.map(({ notificationId, occurrence }) => `${notificationId} ${occurrence}`));
  const added = days
    .filter((date) => date >= today)
    .flatMap((date) => times.map((time) => [date, time] as const))
    .filter(([date, time]) => !planned.has(`${time.notificationId} ${date}`))
    .filter(([date, time]) => lastInstant(timezone, date, time) > now)
    .map(([date, time]) => sendOf(timezone, date, time, now));
  return { removed, moved, added };
};

/**
 * The sends of the dates that come to the horizon between the instant at which the next was to be planned and
 * now. No process may have run for longer than the horizon: then dates have passed, and their sends are
 * missed.
 */
export const comingSends = (
  dates: RecurringDates,
  times: ReadonlyArray<SendTime>,
  planAt: number,
  now: number,
): ReadonlyArray<OccurrenceSend> => {
  const { timezone } = dates;
  const days = [...occurrencesBetween(dates, planHorizon(timezone, planAt), planHorizon(timezone, now))];
  return days.flatMap((date) => times.map((time) => sendOf(timezone, date, time, planAt)));
};

/** When the next date is to be planned: tomorrow, as long as a date can come. Null if none can. */
export const nextPlanning = (dates: RecurringDates, now: number): number | null => {
  const { endsAt, recurrence, timezone } = dates;
  if (recurrence === null) return null;
  if (endsAt !== null && dateAt(timezone, endsAt) <= planHorizon(timezone, now)) return null;
  return dayStart(timezone, addDays(dateAt(timezone, now), 1));
};
