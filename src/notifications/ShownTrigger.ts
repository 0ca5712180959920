import type { NotificationRow } from "./NotificationsRepository.ts";
import { showSendAt } from "./Trigger.ts";

/** The trigger of a notification on its campaign, as the API shows it. */
export const triggerOf = (row: NotificationRow) => ({
  campaign_id: row.campaign_id,
  trigger_type: row.trigger_type,
  trigger_config:
    row.send_at === null
      ? null
      : {
          send_at: showSendAt({ timezone: row.timezone, startsAtMs: row.campaign_starts_ms }, row.send_at),
        },
  starts_at: row.starts_at,
  ends_at: row.ends_at,
});
