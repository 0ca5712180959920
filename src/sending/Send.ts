import { Context, Schema } from "effect";
import type { Environment } from "../workspaces/Environment.ts";

/** Where a send stands (contract L2, L3). */
export const SendStatus = Schema.Literals([
  "scheduled",
  "running",
  "done",
  "skipped",
  "missed",
  "cancelled",
]).annotate({
  description:
    "`scheduled`: its minute is ahead; `running`: deliveries are being made; `done`: every device that it reached for has an " +
    "outcome; `skipped`: the campaign was paused at its minute, or while it ran; `missed`: no process ran until the campaign's " +
    "day was over; `cancelled`: the notification or its campaign was deleted.",
  examples: ["scheduled"],
});
export type SendStatus = typeof SendStatus.Type;

/** A push campaign, as sends name it. */
export interface SendingCampaign {
  readonly workspaceId: number;
  readonly environment: Environment;
  readonly campaignId: string;
}

/** A send that has started; `origin` is the number that its deliveries carry. */
export interface StartedSend {
  readonly workspaceId: number;
  readonly environment: Environment;
  readonly sourceId: bigint;
}

/** What decides about a send whose minute has come. Instants are epoch milliseconds. */
interface SendConditions {
  readonly paused: boolean;
  /** The last second of the campaign's day. */
  readonly endsAt: number;
  readonly dueAt: number;
  /** The workspace is scheduled for deletion: its devices are refused, and nothing is sent to them. */
  readonly closing: boolean;
}

/**
 * What becomes of a send that is due: it runs, however late, until the campaign's day is over, and then it is missed; while
 * the campaign is paused it is skipped (contract L2, L3). A send always has its own minute: where a clock change leaves out
 * the last hour of a day (Nuuk), the gap moves it into the next one (contract E1).
 */
export const outcomeAt = (
  { closing, dueAt, endsAt, paused }: SendConditions,
  now: number,
): "running" | "skipped" | "missed" => {
  if (paused || closing) return "skipped";
  return now > endsAt && now >= dueAt + minuteMillis ? "missed" : "running";
};

const minuteMillis = 60_000;

/**
 * How many devices one batch covers. A batch is one transaction of a tenth of a second: short enough that a stop is obeyed at once and
 * requests beside it are not held up, large enough that what surrounds the insert hardly counts.
 */
export const BatchSize = Context.Reference("waypost/sending/BatchSize", { defaultValue: () => 10_000 });
