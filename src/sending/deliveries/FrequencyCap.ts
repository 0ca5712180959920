import { periodStart } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type { FrequencyCap } from "../../workspaces/Workspace.ts";

/** At most `count` deliveries of a campaign to a device since `since` (epoch milliseconds). */
export interface CapWindow {
  readonly count: number;
  readonly since: number;
}

/**
 * The cap of a campaign now: its own, else the workspace's default; null for none. The window starts with the
 * calendar day, ISO week or month in the campaign's time zone (contract L4).
 */
export const capWindow = (
  own: FrequencyCap | null,
  workspaceDefault: FrequencyCap | null,
  zone: TimeZoneName,
  now: number,
): CapWindow | null => {
  const cap = own ?? workspaceDefault;
  return cap === null ? null : { count: cap.count, since: periodStart(zone, cap.period, now) };
};
