import type { TimeZoneName } from "../../../time/TimeZone.ts";
import { type Quiet, quietAt, type QuietHours } from "../../../workspaces/QuietHours.ts";
import type { StartedSend } from "../Send.ts";

/** The quiet hours of a send, fixed at its start. The zone is that of devices without one. */
export interface SendQuietHours extends QuietHours {
  readonly timezone: TimeZoneName;
}

/** A zone in which the quiet hours of a send hold or drop its messages now. */
export interface QuietZone extends StartedSend, Quiet {
  readonly timezone: TimeZoneName;
}

/** The zones in which quiet hours hold or drop the messages of sends now; each send once. */
export const quietZones = (
  sends: ReadonlyArray<StartedSend & { readonly quiet: SendQuietHours | null }>,
  zones: ReadonlyArray<TimeZoneName | null>,
  now: number,
): ReadonlyArray<QuietZone> => {
  const bySource = new Map(sends.map((send) => [send.sourceId, send]));
  return [...bySource.values()].flatMap(({ environment, quiet: hours, sourceId, workspaceId }) =>
    [...new Set(zones.map((zone) => zone ?? hours?.timezone))].flatMap((timezone) => {
      const quiet = timezone === undefined ? null : quietAt(hours, timezone, now);
      return quiet === null || timezone === undefined
        ? []
        : [{ workspaceId, environment, sourceId, timezone, ...quiet }];
    }),
  );
};
