import { Context, Effect, Layer } from "effect";
import type { TimeOfDay } from "../time/LocalTime.ts";
import { type CampaignId, idAt, type NotificationId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { type CampaignDates, sendInstant } from "./CampaignDates.ts";
import { SendPlanRepository } from "./SendPlanRepository.ts";

/** The push campaign that a notification is sent for. */
interface Sender {
  readonly id: CampaignId;
  readonly timezone: CampaignDates["timezone"];
  readonly startsAtMs: number;
  readonly paused: boolean;
}

/**
 * What changes of campaigns and notifications mean for their sends, each in the transaction of the change. Whoever changes a
 * campaign's own row does that first, so that all who touch sends take campaign, send and batch in this order.
 */
export class SendPlan extends Context.Service<SendPlan>()("waypost/campaigns/SendPlan", {
  make: Effect.gen(function* () {
    const repository = yield* SendPlanRepository;

    const stop = Effect.fnUntraced(function* (tenant: Tenant, ended: Effect.Effect<ReadonlyArray<bigint>>) {
      const sourceIds = yield* ended;
      if (sourceIds.length > 0) yield* repository.dropBatches(tenant, sourceIds);
    });

    /** After a pause or a publish: what runs stops, and what was due during the pause is not sent later (contract L3). */
    const skip = (tenant: Tenant, campaignId: CampaignId, now: number) =>
      stop(tenant, repository.skip(tenant, campaignId, now));

    return {
      /** A notification is to be sent at this time: its waiting send moves and keeps its id, or a new one is added (L3, F6). */
      schedule: Effect.fnUntraced(function* (
        tenant: Tenant,
        campaign: Sender,
        notificationId: NotificationId,
        sendAt: TimeOfDay,
        now: number,
      ) {
        // What fell due during the pause that still lasts is skipped, and not moved.
        if (campaign.paused) yield* skip(tenant, campaign.id, now);
        const dueAt = sendInstant({ startsAt: campaign.startsAtMs, timezone: campaign.timezone }, sendAt);
        yield* repository.schedule(tenant, idAt(now), campaign.id, notificationId, dueAt);
      }),

      /** The campaign has another day or zone: sends that are ahead move, each at its time of day (contract E11). */
      move: Effect.fnUntraced(function* (
        tenant: Tenant,
        campaignId: CampaignId,
        dates: Pick<CampaignDates, "startsAt" | "timezone">,
        now: number,
      ) {
        const waiting = yield* repository.waiting(tenant, campaignId, now);
        if (waiting.length === 0) return;
        yield* repository.move(
          tenant,
          waiting.map(({ id }) => id),
          waiting.map(({ sendAt }) => sendInstant(dates, sendAt)),
        );
      }),

      skip,

      /** A notification leaves the campaign, or with null the campaign goes: nothing of it is sent any more (contract E10). */
      cancel: (tenant: Tenant, campaignId: CampaignId, notificationId: NotificationId | null, now: number) =>
        stop(tenant, repository.cancel(tenant, campaignId, notificationId, now)),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendPlan, SendPlan.make);
}
