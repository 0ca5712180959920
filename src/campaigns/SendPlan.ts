import { Context, Effect, Layer } from "effect";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import type { TimeOfDay } from "../time/LocalTime.ts";
import { type CampaignId, idAt, type NotificationId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { type CampaignDates, sendInstant } from "./CampaignDates.ts";
import { SendPlanRepository } from "./SendPlanRepository.ts";

/** A push campaign, as far as its sends depend on it. */
interface PlannedCampaign {
  readonly id: CampaignId;
  readonly timezone: CampaignDates["timezone"];
  readonly startsAtMs: number;
  readonly paused: boolean;
}

/**
 * Plans sends: adds, moves and ends them when campaigns and notifications change, in the transaction of the
 * change. The caller changes the campaign's row first, so that locks are always taken in the order campaign,
 * send, batch.
 *
 * A planned send is a row with a due minute. `sending/SendScheduler.ts` starts it then.
 */
export class SendPlan extends Context.Service<SendPlan>()("waypost/campaigns/SendPlan", {
  make: Effect.gen(function* () {
    const repository = yield* SendPlanRepository;

    /** Ends sends and drops the batches of those that were running. */
    const stop = Effect.fnUntraced(function* (tenant: Tenant, end: Effect.Effect<ReadonlyArray<bigint>>) {
      const sourceIds = yield* end;
      if (sourceIds.length > 0) yield* repository.dropBatches(tenant, sourceIds);
    });

    /**
     * Pause and publish: stops running sends, and skips those that were due during the pause (contract L3).
     */
    const skip = (tenant: Tenant, campaignId: CampaignId, now: number) =>
      stop(tenant, repository.skip(tenant, campaignId, now));

    return {
      /**
       * Plans a notification: moves its scheduled send, which keeps its id, or adds one (contract L3, F6).
       */
      schedule: Effect.fnUntraced(function* (
        tenant: Tenant,
        campaign: PlannedCampaign,
        notificationId: NotificationId,
        sendAt: TimeOfDay,
        now: number,
      ) {
        // Sends that were due during the current pause are skipped, not moved.
        if (campaign.paused) yield* skip(tenant, campaign.id, now);
        const dueAt = sendInstant({ startsAt: campaign.startsAtMs, timezone: campaign.timezone }, sendAt);
        yield* pipelined(repository.schedule(tenant, idAt(now), campaign.id, notificationId, dueAt));
      }),

      /** Moves future sends to the campaign's new day or zone, each at its own time of day (contract E11). */
      move: Effect.fnUntraced(function* (
        tenant: Tenant,
        campaignId: CampaignId,
        dates: Pick<CampaignDates, "startsAt" | "timezone">,
        now: number,
      ) {
        const scheduled = yield* repository.waiting(tenant, campaignId, now);
        if (scheduled.length === 0) return;
        yield* repository.move(
          tenant,
          scheduled.map(({ id }) => id),
          scheduled.map(({ sendAt }) => sendInstant(dates, sendAt)),
        );
      }),

      skip,

      /** Cancels the sends of a detached notification, or with null of a deleted campaign (contract E10). */
      cancel: (tenant: Tenant, campaignId: CampaignId, notificationId: NotificationId | null, now: number) =>
        stop(tenant, repository.cancel(tenant, campaignId, notificationId, now)),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendPlan, SendPlan.make);
}
