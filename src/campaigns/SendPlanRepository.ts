import { Context, type Effect } from "effect";
import type { TimeOfDay } from "../time/LocalTime.ts";
import type { CampaignId, NotificationId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";

/** A scheduled send, with the time of day that its notification was written with. */
export interface WaitingSend {
  readonly id: string;
  readonly sendAt: TimeOfDay;
}

/** Stores planned sends, and ends sends when a change withdraws them. Instants are epoch milliseconds. */
export class SendPlanRepository extends Context.Service<
  SendPlanRepository,
  {
    /**
     * Moves the scheduled send of a notification on a campaign to `dueAt`, or inserts one under this id if
     * none is scheduled.
     */
    readonly schedule: (
      tenant: Tenant,
      id: string,
      campaignId: CampaignId,
      notificationId: NotificationId,
      dueAt: number,
    ) => Effect.Effect<void>;
    /** The scheduled sends of a campaign that are due after `now`. */
    readonly waiting: (
      tenant: Tenant,
      campaignId: CampaignId,
      now: number,
    ) => Effect.Effect<ReadonlyArray<WaitingSend>>;
    /** Gives each of these sends its new instant, in order, if it is still scheduled. */
    readonly move: (
      tenant: Tenant,
      ids: ReadonlyArray<string>,
      dueAt: ReadonlyArray<number>,
    ) => Effect.Effect<void>;
    /**
     * Ends the running sends of a campaign and those due by `now` as skipped; gives the source ids of running
     * ones.
     */
    readonly skip: (
      tenant: Tenant,
      campaignId: CampaignId,
      now: number,
    ) => Effect.Effect<ReadonlyArray<bigint>>;
    /**
     * Ends the scheduled and running sends of a notification on the campaign, or with null of all its
     * notifications, as cancelled; gives the source ids of running ones.
     */
    readonly cancel: (
      tenant: Tenant,
      campaignId: CampaignId,
      notificationId: NotificationId | null,
      now: number,
    ) => Effect.Effect<ReadonlyArray<bigint>>;
    /** Deletes the open batches of sends. */
    readonly dropBatches: (tenant: Tenant, sourceIds: ReadonlyArray<bigint>) => Effect.Effect<void>;
  }
>()("waypost/campaigns/SendPlanRepository") {}
