import { Context, type Effect } from "effect";
import type { TimeOfDay } from "../time/LocalTime.ts";
import type { CampaignId, NotificationId } from "../wire/Ids.ts";
import type { LateChoice, LocalPlan } from "./LocalSend.ts";
import type { Tenant } from "../workspaces/Workspace.ts";

/** A scheduled send, with the time of day that its notification was written with. */
export interface WaitingSend {
  readonly id: string;
  readonly notificationId: NotificationId;
  readonly sendAt: TimeOfDay;
  /** Of a send at a local time; else null. */
  readonly late: LateChoice | null;
}

/** When a send is due. `local` is its plan if it is sent at a local time, else null. */
export interface PlannedSend {
  readonly dueAt: number;
  readonly local: LocalPlan | null;
}

/** Stores planned sends, and ends sends when a change withdraws them. Instants are epoch milliseconds. */
export class SendPlanRepository extends Context.Service<
  SendPlanRepository,
  {
    /**
     * Moves the scheduled send of a notification on a campaign to its new time, or inserts one under this id
     * if none is scheduled. A send at a local time has a plan; one that has the same time and choice already,
     * scheduled or running, stays as it is, and a running one with another is cancelled. Returns the source
     * ids of cancelled sends.
     */
    readonly schedule: (
      tenant: Tenant,
      id: string,
      campaignId: CampaignId,
      notificationId: NotificationId,
      planned: PlannedSend,
      now: number,
    ) => Effect.Effect<ReadonlyArray<bigint>>;
    /** The scheduled sends of a campaign that are due after `now`, and all scheduled ones at local times. */
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
     * Ends the running sends of a campaign and those due by `now` as skipped, except scheduled ones at local
     * times, whose minute a worker knows; gives the source ids of running ones.
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
