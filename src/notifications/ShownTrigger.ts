import { localTimeOf } from "../campaigns/LocalSend.ts";
import type { Notification } from "./Notification.ts";
import type { NotificationRow } from "./NotificationsSql.ts";
import { showSendAt, type Trigger } from "./Trigger.ts";

const configOf = (row: NotificationRow): Notification["trigger_config"] => {
  const { dwell_minutes: minutes, event, max_silence_minutes: silence, send_at: sendAt } = row;
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
  const { campaign_recurs: recurs, campaign_starts_ms: startsAt, send_late: late, timezone } = row;
  if (recurs) return { send_at: sendAt, ...(late !== null && { local: true, late }) };
  if (late !== null) return { send_at: localTimeOf({ startsAt, timezone }, sendAt), local: true, late };
  return { send_at: showSendAt({ timezone, startsAtMs: startsAt }, sendAt) };
};

/** The trigger of a notification on its campaign, as the API shows it. */
export const triggerOf = (row: NotificationRow) => ({
  campaign_id: row.campaign_id,
  trigger_type: row.trigger_type,
  trigger_config: configOf(row),
  starts_at: row.starts_at,
  ends_at: row.ends_at,
});

/** The trigger of a notification on its campaign, as it is stored. */
export const storedTrigger = (row: NotificationRow): Trigger => ({
  type: row.trigger_type,
  sendAt: row.send_at,
  late: row.send_late,
  dwellMinutes: row.dwell_minutes,
  maxSilenceMinutes: row.max_silence_minutes,
  event: row.event,
  startsAt: row.starts_at === null ? null : Date.parse(row.starts_at),
  endsAt: row.ends_at === null ? null : Date.parse(row.ends_at),
});
