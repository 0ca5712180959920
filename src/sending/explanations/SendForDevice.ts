import { localInstant } from "../../campaigns/LocalSend.ts";
import type { Reason } from "../../devices/Obstacle.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type { ExplainedSend } from "./ExplanationsSql.ts";

/** Why a send does not reach a device now, and when it does or did (epoch milliseconds). */
export interface SendForDevice {
  readonly reason: Extract<Reason, "passed" | "already_sent" | "scheduled">;
  readonly at: number;
}

const isOpen = ({ status }: ExplainedSend): boolean => status === "scheduled" || status === "running";

/**
 * Returns the state of a send for a device in a zone. Of one at a local time that of the part that its zone
 * belongs to, unless the device has got the message in another zone. An instant before `nextAt` without a
 * part had no device, and is over.
 */
export const sendForDevice = (send: ExplainedSend, zone: TimeZoneName): SendForDevice => {
  const { dueAt, hasDelivery, late, localAt, nextAt, parts, plannedAt, status } = send;
  const own = parts.find((part) => part.hasDelivery);
  if (own !== undefined) return { reason: "already_sent", at: own.dueAt };
  if (hasDelivery) return { reason: "already_sent", at: dueAt };
  const at = localAt === null ? dueAt : localInstant(zone, localAt);
  const part = localAt === null ? status : parts.find((each) => each.dueAt === at)?.status;
  if (part === "running" || part === "done") return { reason: "already_sent", at };
  const isToCome = nextAt !== null && at >= nextAt && !(late === "skip" && at < plannedAt);
  const isScheduled = part === undefined ? isOpen(send) && isToCome : part === "scheduled";
  return { reason: isScheduled ? "scheduled" : "passed", at };
};

/**
 * Returns the state of a campaign for a device by its sends: what is to come first goes first. Null if a send
 * at a fixed instant is open that the device has no message of, or if there are only such sends.
 */
export const sendsForDevice = (
  sends: ReadonlyArray<ExplainedSend>,
  zone: TimeZoneName,
): SendForDevice | null => {
  if (sends.some((send) => send.localAt === null && isOpen(send) && !send.hasDelivery)) return null;
  const states = sends
    .filter((send) => send.localAt !== null || isOpen(send))
    .map((send) => sendForDevice(send, zone))
    .toSorted((a, b) => a.at - b.at);
  const first = (reason: SendForDevice["reason"]) => states.find((state) => state.reason === reason);
  return first("scheduled") ?? first("already_sent") ?? states[0] ?? null;
};
