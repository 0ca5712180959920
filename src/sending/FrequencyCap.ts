import { periodStart } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { FrequencyCap } from "../workspaces/Workspace.ts";

/** A cap at an instant: at most `count` deliveries of the campaign to the device since `since` (epoch milliseconds). */
export interface CapWindow {
  readonly count: number;
  readonly since: number;
}

/**
 * The cap that holds for a campaign now: its own, else the workspace's default, over the calendar day, ISO week or month of the
 * campaign's time zone; null for none (contract L4).
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
