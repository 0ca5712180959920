import type { Transport } from "../../../devices/PushAddress.ts";
import type { TenantKey } from "../../../workspaces/Environment.ts";
import { initialStatus } from "../../deliveries/Delivery.ts";
import type { DeviceKey } from "../../../wire/Ids.ts";

/** What prevents that a held delivery is sent when its quiet hours end (contract P2). */
export type HeldObstacle =
  | "deleted"
  | "paused"
  | "ended"
  | "detached"
  | "closing"
  | "unregistered"
  | "gone"
  | "unsubscribed"
  | "unapproved";

/** A held delivery whose quiet hours have ended. The transport is that of the device now. */
export interface HeldDelivery extends TenantKey {
  readonly sourceId: bigint;
  readonly deviceKey: DeviceKey;
  readonly transport: Transport;
  /** Whether its texts are templates: then a worker renders them first, also for an inbox. */
  readonly templated: boolean;
  readonly obstacle: HeldObstacle | null;
}

/** A held delivery with its new status. */
export interface ReleasedDelivery extends Omit<HeldDelivery, "obstacle" | "templated"> {
  readonly status: "queued" | "delivered" | "failed";
  readonly lastError: string | null;
}

const obstacles: Readonly<Record<HeldObstacle, string>> = {
  deleted: "Its campaign was deleted during the quiet hours.",
  paused: "Its campaign is paused at the end of the quiet hours.",
  ended: "Its campaign has ended during the quiet hours.",
  detached: "Its notification was deleted during the quiet hours.",
  closing: "The workspace is scheduled for deletion.",
  unregistered: "The device has unregistered.",
  gone: "The push service has said that the device's address is gone.",
  unsubscribed: "The device wants no messages.",
  unapproved: "The device is no longer an approved test device.",
};

/** The outcome of a held delivery: it goes out as a new one would, unless something prevents it. */
export const released = (
  { obstacle, templated, ...held }: HeldDelivery,
  configured: ReadonlySet<Transport>,
): ReleasedDelivery => {
  if (obstacle !== null) return { ...held, status: "failed", lastError: obstacles[obstacle] };
  if (templated && held.transport === "inbox") return { ...held, status: "queued", lastError: null };
  const { lastError, status } = initialStatus(held.transport, configured);
  return { ...held, status, lastError };
};
