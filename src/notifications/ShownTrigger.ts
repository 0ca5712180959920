import { localTimeOf } from "../campaigns/LocalSend.ts";
import { utcText } from "../time/LocalTime.ts";
import type { Notification } from "./Notification.ts";
import type { NotificationRow } from "./NotificationsSql.ts";
import { showSendAt } from "./Trigger.ts";

const configOf = (row: NotificationRow): Notification["trigger_config"] => {
  const { dwellMinutes: minutes, event, late, maxSilenceMinutes: silence, sendAt } = row;
  if (minutes !== null) return { minutes, ...(silence !== null && { max_silence_minutes: silence }) };
  if (event !== null) {
    const { delayMinutes, name, unless, where } = event;
    return {
      event: name,
      ...(where !== null && { where }),
      ...(delayMinutes !== null && { delay_minutes: delayMinutes }),
      ...(unless !== null && { unless_event: unless }),
    };
  }
  if (sendAt === null) return null;
  const { campaign_recurs: recurs, campaign_starts_ms: startsAt, timezone } = row;
  if (recurs) return { send_at: sendAt, ...(late !== null && { local: true, late }) };
  if (late !== null) return { send_at: localTimeOf({ startsAt, timezone }, sendAt), local: true, late };
  return { send_at: showSendAt({ timezone, startsAt }, sendAt) };
};

const shownDate = (millis: number | null): string | null => (millis === null ? null : utcText(millis));

/** The trigger of a notification on its campaign, as the API shows it. */
export const triggerOf = (row: NotificationRow) => ({
  campaign_id: row.campaign_id,
  trigger_type: row.triggerType,
  trigger_config: configOf(row),
  starts_at: shownDate(row.startsAt),
  ends_at: shownDate(row.endsAt),
});
