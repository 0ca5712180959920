import { Schema } from "effect";
import { type DailyPeriod, dailyPeriodEnd } from "../time/DailyPeriod.ts";
import { TimeOfDay } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";

const fields = {
  from: TimeOfDay.annotate({
    description: "The time of day at which they begin, HH:MM in the device's time zone.",
    examples: ["22:00" as TimeOfDay],
  }),
  to: TimeOfDay.annotate({
    description: "The time of day at which they end, HH:MM; on the next day if it is not after `from`.",
    examples: ["07:00" as TimeOfDay],
  }),
  action: Schema.Literals(["hold", "drop"]).annotate({
    description: "`hold` sends the message when they end, `drop` does not send it.",
    examples: ["hold"],
  }),
};

const lastsADay = Schema.makeFilter(({ from, to }: DailyPeriod) =>
  from === to
    ? { path: ["to"], issue: "The end of the quiet hours must be another time than their start." }
    : true,
);

/** Hours of the day in which devices get no message (contract P2). */
export const QuietHours = Schema.Struct(fields).check(lastsADay).annotate({ identifier: "QuietHours" });
export type QuietHours = typeof QuietHours.Type;

/** Quiet hours as the documentation shows them. */
export const quietExample: QuietHours = {
  from: "22:00" as TimeOfDay,
  to: "07:00" as TimeOfDay,
  action: "hold",
};

const noQuietHours = Schema.Struct({
  enabled: Schema.Literal(false).annotate({ description: "The campaign has no quiet hours." }),
});

/** The quiet hours of a campaign, as they are shown: its own, or none although its workspace has some. */
export const CampaignQuietHours = Schema.Union([QuietHours, noQuietHours]).annotate({
  description:
    "Hours of the day in which devices get no message; null for those of the workspace, " +
    "`{enabled: false}` for none.",
  examples: [quietExample],
});
export type CampaignQuietHours = typeof CampaignQuietHours.Type;

/** The quiet hours of a campaign, as they are sent. `enabled: true` says nothing more. */
export const SentQuietHours = Schema.Union([
  Schema.Struct({ ...fields, enabled: Schema.optionalKey(Schema.Literal(true)) }).check(lastsADay),
  noQuietHours,
]).annotate({
  description: CampaignQuietHours.ast.annotations?.["description"] as string,
  examples: [quietExample],
});

/** Sent quiet hours as they are stored, and stored ones in the order of their fields. */
export const storedQuietHours = (
  sent: typeof SentQuietHours.Type | CampaignQuietHours | null | undefined,
): CampaignQuietHours | null => {
  if (sent === null || sent === undefined) return null;
  return "enabled" in sent && !sent.enabled
    ? { enabled: false }
    : { from: sent.from, to: sent.to, action: sent.action };
};

/** The quiet hours that hold for a campaign: its own, else those of its workspace; null for none. */
export const effectiveQuietHours = (
  own: CampaignQuietHours | null,
  workspaceDefault: QuietHours | null,
): QuietHours | null => {
  if (own === null) return workspaceDefault;
  return "enabled" in own ? null : own;
};

/** The effect of quiet hours on a message now, and its end (epoch milliseconds). */
export interface Quiet {
  readonly action: QuietHours["action"];
  readonly until: number;
}

/** The effect of quiet hours on a message in a zone at an instant; null outside of them. */
export const quietAt = (hours: QuietHours | null, zone: TimeZoneName, now: number): Quiet | null => {
  if (hours === null) return null;
  const until = dailyPeriodEnd(zone, hours, now);
  return until === null ? null : { action: hours.action, until };
};
