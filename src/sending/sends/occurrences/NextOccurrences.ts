import { Clock, Context, Effect, Layer } from "effect";
import { Campaigns } from "../../../campaigns/Campaigns.ts";
import { localInstant } from "../../../campaigns/LocalSend.ts";
import type { SendTime } from "../../../campaigns/recurrence/OccurrencePlan.ts";
import { lastInstant, occurrencesBetween } from "../../../campaigns/recurrence/Occurrences.ts";
import { SendPlan } from "../../../campaigns/SendPlan.ts";
import { addDays } from "../../../time/DayNumbers.ts";
import {
  dateAt,
  dayEnd,
  instantAt,
  type LocalDate,
  utcText,
  type WallTime,
} from "../../../time/LocalTime.ts";
import { hundredYearsAfter } from "../../../time/RecurrenceDays.ts";
import { mapSliced } from "../../../workers/TimeSlices.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import { LocalSendsSql } from "../local/LocalSendsSql.ts";
import type { Occurrence } from "./OccurrencesApi.ts";

/** The days before today whose local times may still come somewhere in the world. */
const daysBack = 2;

/** The next dates of push campaigns, with the instants of their sends (contract V2, Z22). */
export class NextOccurrences extends Context.Service<NextOccurrences>()("waypost/sending/NextOccurrences", {
  make: Effect.gen(function* () {
    const campaigns = yield* Campaigns;
    const plan = yield* SendPlan;
    const local = yield* LocalSendsSql;

    return {
      /** The next dates of a campaign; none of a geo campaign. @throws 404 */
      list: Effect.fn("NextOccurrences.list")(function* (tenant: Tenant, id: string, limit: number) {
        const campaign = yield* campaigns.find(tenant, id);
        if (campaign.type !== "push") return [];
        const { timezone } = campaign;
        const now = yield* Clock.currentTimeMillis;
        const times = yield* plan.times(tenant, campaign.id);
        const isLocal = times.some(({ late }) => late !== null);
        const zones = isLocal ? yield* local.zones(tenant) : [];

        const dueAt = (date: LocalDate, { late, sendAt }: SendTime): number => {
          if (late === null || zones.length === 0) return instantAt(timezone, date, sendAt);
          const at = `${date} ${sendAt}` as WallTime;
          return Math.min(...zones.map((zone) => localInstant(zone ?? timezone, at)));
        };
        const lastOf = (date: LocalDate): number =>
          times.length === 0
            ? dayEnd(timezone, date)
            : Math.max(...times.map((time) => lastInstant(timezone, date, time)));
        const shown = (date: LocalDate): Occurrence => ({
          occurrence: date,
          sends: times.map((time) => ({
            notification_id: time.notificationId,
            due_at: utcText(dueAt(date, time)),
          })),
        });

        const today = dateAt(timezone, now);
        const [from, to] = [addDays(today, -daysBack), hundredYearsAfter(today)];
        const next: Array<LocalDate> = [];
        for (const date of occurrencesBetween(campaign, from, to)) {
          if (lastOf(date) < now) continue;
          if (next.push(date) === limit) break;
        }
        return yield* mapSliced(next, shown);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(NextOccurrences, NextOccurrences.make).pipe(
    Layer.provide(LocalSendsSql.layer),
  );
}
