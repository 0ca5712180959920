import { Context, Effect, Layer } from "effect";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { type CampaignId, idAt, type NotificationId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { type CampaignDates, sendInstant } from "./CampaignDates.ts";
import { localPlan } from "./LocalSend.ts";
import { changesOf, newOccurrence, nextPlanning, type SendTime } from "./recurrence/OccurrencePlan.ts";
import { firstDay, lastInstant } from "./recurrence/Occurrences.ts";
import { SendPlanSql, type WaitingSend } from "./SendPlanSql.ts";
import type { StoredCampaign } from "./StoredCampaign.ts";

/** A push campaign, as far as its sends depend on it. */
export type PlannedCampaign = CampaignDates & Pick<StoredCampaign, "id" | "paused">;

/** When a notification is sent; `late` is null unless it is sent at that time in each device's zone. */
type PlannedTime = Pick<WaitingSend, "sendAt" | "late">;

/** Plans a notification. `now` is in epoch milliseconds. */
type Schedule = (
  tenant: Tenant,
  campaign: PlannedCampaign,
  notificationId: NotificationId,
  time: PlannedTime,
  now: number,
) => Effect.Effect<void>;

/**
 * Plans sends: adds, moves and ends them when campaigns and notifications change, in the transaction of the
 * change. The caller changes the campaign's row first, so that locks are always taken in the order campaign,
 * send, batch.
 *
 * A planned send is a row with a due minute. `sending/sends/SendScheduler.ts` starts it then.
 */
export class SendPlan extends Context.Service<
  SendPlan,
  {
    /** Plans a notification that this transaction attached: no send of it can be running. */
    readonly scheduleFirst: Schedule;
    /** Plans a notification: moves its scheduled send, which keeps its id, or adds one (contract L3, F6). */
    readonly schedule: Schedule;
    /**
     * Moves the sends of a campaign that have not begun to its new dates, each at its own time of day
     * (contract E11). The sends of a recurring campaign are planned as its dates come; those of dates that it
     * has no longer go (contract Z23).
     */
    readonly move: (
      tenant: Tenant,
      stored: PlannedCampaign,
      dates: CampaignDates,
      now: number,
    ) => Effect.Effect<void>;
    /**
     * Pause and publish: stops running sends, and skips those that were due during the pause (contract L3).
     */
    readonly skip: (tenant: Tenant, campaignId: CampaignId, now: number) => Effect.Effect<void>;
    /** The sending times of the notifications on a campaign, in the order in which they were attached. */
    readonly times: (tenant: Tenant, campaignId: CampaignId) => Effect.Effect<ReadonlyArray<SendTime>>;
    /** Cancels the sends of a detached notification, or with null of a deleted campaign (contract E10). */
    readonly cancel: (
      tenant: Tenant,
      campaignId: CampaignId,
      notificationId: NotificationId | null,
      now: number,
    ) => Effect.Effect<void>;
  }
>()("waypost/campaigns/SendPlan") {
  static readonly layer = Layer.effect(
    SendPlan,
    Effect.gen(function* () {
      const repository = yield* SendPlanSql;

      /** Ends sends and drops the batches of those that were running. */
      const stop = Effect.fnUntraced(function* (tenant: Tenant, end: Effect.Effect<ReadonlyArray<bigint>>) {
        const sourceIds = yield* end;
        if (sourceIds.length > 0) yield* repository.dropBatches(tenant, sourceIds);
      });

      const skip = (tenant: Tenant, campaignId: CampaignId, now: number) =>
        stop(tenant, repository.skip(tenant, campaignId, now));

      /** Moves or adds the scheduled send of a notification. Gives the running sends that it ended. */
      const store = (
        tenant: Tenant,
        campaignId: CampaignId,
        notificationId: NotificationId,
        dates: Pick<CampaignDates, "startsAt" | "timezone">,
        { late, sendAt }: PlannedTime,
        now: number,
      ) => {
        const dueAt = sendInstant(dates, sendAt);
        const local = late === null ? null : localPlan(dates, sendAt, late, now);
        return repository.schedule(tenant, idAt(now), campaignId, notificationId, { dueAt, local }, now);
      };

      /** Plans the dates of a recurring campaign until the horizon; what has begun stays. */
      const replan = Effect.fnUntraced(function* (
        tenant: Tenant,
        { id, paused }: Pick<PlannedCampaign, "id" | "paused">,
        dates: CampaignDates,
        now: number,
      ) {
        yield* repository.setPlanAt(tenant, id, nextPlanning(dates, now));
        // Sends that were due during the current pause are skipped, not moved.
        if (paused) yield* skip(tenant, id, now);
        const times = yield* repository.times([{ ...tenant, campaignId: id }]);
        const waiting = yield* repository.waitingOccurrences(tenant, id);
        const { added, moved, removed } = changesOf(dates, times, waiting, now);
        if (removed.length + moved.length > 0) yield* repository.moveOccurrences(tenant, removed, moved);
        yield* repository.addOccurrences(added.map((each) => newOccurrence(tenant, id, each, now)));
      });

      /** Makes the sends of a campaign that recurred those of its one day, whose send keeps its id. */
      const replanOneDay = Effect.fnUntraced(function* (
        tenant: Tenant,
        { id, paused }: Pick<PlannedCampaign, "id" | "paused">,
        dates: CampaignDates,
        now: number,
      ) {
        const day = firstDay(dates);
        if (paused) yield* skip(tenant, id, now);
        yield* repository.dropOccurrences(tenant, id, day);
        for (const time of yield* repository.times([{ ...tenant, campaignId: id }]))
          if (lastInstant(dates.timezone, day, time) > now)
            yield* stop(tenant, store(tenant, id, time.notificationId, dates, time, now));
      });

      return SendPlan.of({
        scheduleFirst: (tenant, campaign, notificationId, time, now) =>
          campaign.recurrence === null
            ? pipelined(Effect.asVoid(store(tenant, campaign.id, notificationId, campaign, time, now)))
            : replan(tenant, campaign, campaign, now),

        schedule: Effect.fnUntraced(function* (tenant, campaign, notificationId, time, now) {
          if (campaign.recurrence !== null) return yield* replan(tenant, campaign, campaign, now);
          // Sends that were due during the current pause are skipped, not moved.
          if (campaign.paused) yield* skip(tenant, campaign.id, now);
          yield* stop(tenant, store(tenant, campaign.id, notificationId, campaign, time, now));
        }),

        move: Effect.fnUntraced(function* (tenant, stored, dates, now) {
          if (stored.recurrence !== null && dates.recurrence === null)
            return yield* replanOneDay(tenant, stored, dates, now);
          if (dates.recurrence !== null) {
            if (stored.recurrence === null)
              yield* repository.makeOccurrences(tenant, stored.id, firstDay(stored));
            return yield* replan(tenant, stored, dates, now);
          }
          const scheduled = yield* repository.waiting(tenant, stored.id, now);
          for (const { late, notificationId, sendAt } of scheduled)
            if (late !== null)
              yield* stop(tenant, store(tenant, stored.id, notificationId, dates, { sendAt, late }, now));
          const moved = scheduled.filter(({ late }) => late === null);
          if (moved.length === 0) return;
          yield* repository.move(
            tenant,
            moved.map(({ id }) => id),
            moved.map(({ sendAt }) => sendInstant(dates, sendAt)),
          );
        }),

        skip,

        times: (tenant, campaignId) => repository.times([{ ...tenant, campaignId }]),

        cancel: (tenant, campaignId, notificationId, now) =>
          stop(tenant, repository.cancel(tenant, campaignId, notificationId, now)),
      });
    }),
  );
}
