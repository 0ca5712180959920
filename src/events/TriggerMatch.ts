import type { Audience } from "../devices/SegmentRule.ts";
import type { NotificationType } from "../notifications/MessageContent.ts";
import type { TriggerType } from "../notifications/Notification.ts";
import type { EventTrigger } from "../notifications/Trigger.ts";
import type { Experiment } from "../sending/arms/Experiment.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { CampaignKey, ContentKey, NotificationKey } from "../wire/Ids.ts";
import type { CampaignQuietHours } from "../workspaces/QuietHours.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";

/**
 * A notification that can fire for an event, without its words (`words/MatchContents.ts`). Instants are epoch
 * milliseconds, null for an open end.
 */
export interface TriggerMatch {
  readonly campaign_id: string;
  readonly campaign_key: CampaignKey;
  readonly timezone: TimeZoneName;
  readonly campaign_starts: number;
  readonly campaign_ends: number | null;
  readonly paused: boolean;
  readonly cap: FrequencyCap | null;
  /** Identifies the notification on its campaign. */
  readonly attachment_id: string;
  readonly trigger_type: TriggerType;
  readonly dwell_minutes: number | null;
  readonly max_silence_minutes: number | null;
  readonly cap_by: "device" | "user";
  readonly cooldown_minutes: number | null;
  readonly quiet_hours: CampaignQuietHours | null;
  readonly notification_id: string;
  readonly notification_key: NotificationKey;
  readonly window_starts: number | null;
  readonly window_ends: number | null;
  readonly content_key: ContentKey;
  /** Whether its texts differ by device, apart from the variant. */
  readonly varies: boolean;
  /** Whether it shows nothing, and is in no inbox. */
  readonly silent: boolean;
  readonly type: NotificationType;
  /** The experiment of its campaign; null for none. */
  readonly experiment: Experiment | null;
  /** Of on_event: what it fires on, and the devices that its campaign reaches. */
  readonly event?: EventTrigger;
  readonly audience?: Audience;
}
