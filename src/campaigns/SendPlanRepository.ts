import { Context, type Effect } from "effect";
import type { LocalDate, TimeOfDay } from "../time/LocalTime.ts";
import { type CampaignId, idAt, type NotificationId } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { LateChoice, LocalPlan } from "./LocalSend.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { OccurrenceSend, SendTime, WaitingOccurrence } from "./recurrence/OccurrencePlan.ts";

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
    /** The sending times of the notifications on campaigns, in the order in which they were attached. */
    readonly times: (
      campaigns: ReadonlyArray<CampaignRef>,
    ) => Effect.Effect<ReadonlyArray<SendTime & Pick<CampaignRef, "campaignId">>>;
    /**
     * Stores when the next date of a recurring campaign is to be planned, and locks the campaign, so that its
     * sends neither start nor are planned by others.
     */
    readonly setPlanAt: (
      tenant: Tenant,
      campaignId: CampaignId,
      planAt: number | null,
    ) => Effect.Effect<void>;
    /** The scheduled sends of the dates of a recurring campaign. */
    readonly waitingOccurrences: (
      tenant: Tenant,
      campaignId: CampaignId,
    ) => Effect.Effect<ReadonlyArray<WaitingOccurrence>>;
    /** Adds sends of dates, without those whose date and notification has a send that is not cancelled. */
    readonly addOccurrences: (sends: ReadonlyArray<NewOccurrence>) => Effect.Effect<void>;
    /** Deletes scheduled sends of dates by their ids, and moves others. */
    readonly moveOccurrences: (
      tenant: Tenant,
      removed: ReadonlyArray<string>,
      moved: ReadonlyArray<OccurrenceSend & { readonly id: string }>,
    ) => Effect.Effect<void>;
    /** Makes the scheduled sends of a campaign, and those between their parts, sends of a date. */
    readonly makeOccurrences: (
      tenant: Tenant,
      campaignId: CampaignId,
      occurrence: LocalDate,
    ) => Effect.Effect<void>;
    /** Deletes the scheduled sends of all dates but one, which become those of a campaign of one day. */
    readonly dropOccurrences: (
      tenant: Tenant,
      campaignId: CampaignId,
      kept: LocalDate,
    ) => Effect.Effect<void>;
    /** Deletes the open batches of sends. */
    readonly dropBatches: (tenant: Tenant, sourceIds: ReadonlyArray<bigint>) => Effect.Effect<void>;
  }
>()("waypost/campaigns/SendPlanRepository") {}
