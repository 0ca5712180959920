import { type Obstacle, obstacles } from "../../../devices/Obstacle.ts";
import type { Transport } from "../../../devices/PushAddress.ts";
import { dayEnd, type WallTime, wallParts } from "../../../time/LocalTime.ts";
import type { TimeZoneName } from "../../../time/TimeZone.ts";
import type { TenantKey } from "../../../workspaces/Environment.ts";
import { initialStatus } from "../../deliveries/Delivery.ts";
import type { CampaignKey, DeviceKey } from "../../../wire/Ids.ts";

/** A held delivery whose quiet hours have ended. The transport is that of the device now. */
export interface HeldDelivery extends TenantKey {
  readonly sourceId: bigint;
  readonly deviceKey: DeviceKey;
  readonly transport: Transport;
  readonly campaignKey: CampaignKey;
  /** Whether it counts for a pace of its environment or campaign (contract T5). */
  readonly isPaced: boolean;
  /** Whether its texts are templates: then a worker renders them first, also for an inbox. */
  readonly templated: boolean;
  /** The obstacle when its quiet hours end (contract P2). */
  readonly obstacle: Obstacle | null;
  /** Of a send at a local time whose campaign has ended in its own zone: that time; else null. */
  readonly endedLocalAt: WallTime | null;
  /** The zone of the device, else of the campaign. */
  readonly zone: TimeZoneName;
}

/** A held delivery with its new status. */
export interface ReleasedDelivery extends Omit<
  HeldDelivery,
  "obstacle" | "templated" | "endedLocalAt" | "zone"
> {
  readonly status: "queued" | "delivered" | "failed";
  readonly lastError: string | null;
}

/** A message of a send at a local time goes out on the day of its device (contract X25). */
const isDayOver = ({ endedLocalAt, zone }: HeldDelivery, now: number): boolean =>
  endedLocalAt !== null && now > dayEnd(zone, wallParts(endedLocalAt).date);

/** The outcome of a held delivery: it goes out as a new one would, unless something prevents it. */
export const released = (
  delivery: HeldDelivery,
  configured: ReadonlySet<Transport>,
  now: number,
): ReleasedDelivery => {
  const { endedLocalAt: _ended, obstacle: found, templated, zone: _zone, ...held } = delivery;
  const obstacle = found !== "paused" && isDayOver(delivery, now) ? "ended" : found;
  if (obstacle !== null) return { ...held, status: "failed", lastError: obstacles[obstacle] };
  if (templated && held.transport === "inbox") return { ...held, status: "queued", lastError: null };
  const { lastError, status } = initialStatus(held.transport, configured);
  return { ...held, status, lastError };
};
