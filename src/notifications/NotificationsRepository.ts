import { Context, type Effect } from "effect";
import type { LateChoice } from "../campaigns/LocalSend.ts";
import type { TimeOfDay } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { CampaignId, NotificationId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ContentRow } from "./ContentsRepository.ts";
import type { TriggerType } from "./Notification.ts";
import type { EventTrigger, Trigger } from "./Trigger.ts";

/** A notification on a campaign, with the campaign's zone and start, which its sending time is shown with. */
export interface NotificationRow extends ContentRow {
  readonly campaign_id: CampaignId;
  readonly trigger_type: TriggerType;
  readonly send_at: TimeOfDay | null;
  readonly send_late: LateChoice | null;
  readonly dwell_minutes: number | null;
  readonly max_silence_minutes: number | null;
  readonly event: EventTrigger | null;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly timezone: TimeZoneName;
  readonly campaign_starts_ms: number;
  readonly campaign_recurs: boolean;
}

/** Stores which notifications are on which campaigns, and their triggers. `now` in epoch milliseconds. */
export class NotificationsRepository extends Context.Service<
  NotificationsRepository,
  {
    /** All notifications of a campaign, in the order in which they were attached (contract D5). */
    readonly list: (tenant: Tenant, campaignId: CampaignId) => Effect.Effect<ReadonlyArray<NotificationRow>>;
    readonly find: (
      tenant: Tenant,
      campaignId: CampaignId,
      id: NotificationId,
    ) => Effect.Effect<NotificationRow | null>;
    /** How many notifications are on a campaign. */
    readonly count: (tenant: Tenant, campaignId: CampaignId) => Effect.Effect<number>;
    /** Attaches a notification to a campaign. `id` identifies the pairing. */
    readonly attach: (
      tenant: Tenant,
      id: string,
      campaignId: CampaignId,
      notificationId: NotificationId,
      trigger: Trigger,
      now: number,
    ) => Effect.Effect<void>;
    /** Changes the trigger on one campaign; an equal trigger keeps `updated_at`. */
    readonly setTrigger: (
      tenant: Tenant,
      campaignId: CampaignId,
      id: NotificationId,
      trigger: Trigger,
      now: number,
    ) => Effect.Effect<void>;
    readonly detach: (tenant: Tenant, campaignId: CampaignId, id: NotificationId) => Effect.Effect<void>;
  }
>()("waypost/notifications/NotificationsRepository") {}
