import { Context, Schema } from "effect";
import type { Audience } from "../../devices/SegmentRule.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";

/** The states of a send (contract L2, L3). */
export const SendStatus = Schema.Literals([
  "scheduled",
  "running",
  "done",
  "skipped",
  "missed",
  "cancelled",
]).annotate({
  description:
    "`scheduled`: its minute is in the future; `running`: deliveries are being created or sent; `done`: " +
    "every targeted device has an outcome; `skipped`: the campaign was paused at its minute, or while it " +
    "ran; `missed`: no process ran until the campaign's day was over; `cancelled`: the notification or its " +
    "campaign was deleted.",
  examples: ["scheduled"],
});
export type SendStatus = typeof SendStatus.Type;

/** The devices of a send: those of the campaign, of a part of a send at a local time only some of them. */
export interface SendAudience extends Audience {
  /** Whether it reaches one device of each person, instead of every device. */
  readonly perUser?: boolean;
  readonly local?: {
    readonly zones: ReadonlyArray<string>;
    /** Whether devices without a zone belong to it. */
    readonly hasRest: boolean;
    /** Source ids of earlier parts of the same send, whose devices are left out. */
    readonly earlier: ReadonlyArray<string>;
    /** The zones of the parts to come, and whether devices without a zone belong to one. */
    readonly later?: { readonly zones: ReadonlyArray<string>; readonly hasRest: boolean };
  };
}

/** A push campaign, as sends refer to it. */
export interface SendingCampaign extends TenantKey {
  readonly campaignId: string;
}

/** A send that has started. Its deliveries have its `sourceId`. */
export interface StartedSend extends TenantKey {
  readonly sourceId: bigint;
}

/** Facts that decide about a due send. Instants are epoch milliseconds. */
interface SendConditions {
  readonly paused: boolean;
  /** The last second of the campaign's day, or of the date of a recurring one; null for none. */
  readonly endsAt: number | null;
  readonly dueAt: number;
  /** The workspace is scheduled for deletion: its devices are refused, and nothing is sent to them. */
  readonly closing: boolean;
}

/**
 * The decision about a due send: it runs, however late, until the campaign's day is over, and is missed after
 * that; while the campaign is paused it is skipped (contract L2, L3). A send always has its own minute: if a
 * clock change removes the last hour of a day (Nuuk), the gap moves the send to the next day (contract E1).
 */
export const outcomeAt = (
  { closing, dueAt, endsAt, paused }: SendConditions,
  now: number,
): "running" | "skipped" | "missed" => {
  if (paused || closing) return "skipped";
  return endsAt !== null && now > endsAt && now >= dueAt + minuteMillis ? "missed" : "running";
};

const minuteMillis = 60_000;

/**
 * Devices in one batch. A batch is one transaction of about 0.1 seconds: short enough to stop at once and not
 * to hold up requests, large enough that the cost around the insert is small.
 */
export const BatchSize = Context.Reference("waypost/sending/BatchSize", { defaultValue: () => 10_000 });
