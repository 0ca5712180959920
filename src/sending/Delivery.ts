import type { Transport } from "../devices/PushAddress.ts";
import type { NotificationType } from "../notifications/MessageContent.ts";
import type { TriggerType } from "../notifications/Notification.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { CapWindow } from "./FrequencyCap.ts";

/**
 * The states of a delivery: `queued` until a worker takes it, `handed_over` from just before the push
 * provider is called, `delivered` once the provider accepted it (an inbox message at once), `failed` once it
 * was refused for good (contract K1).
 */
export type DeliveryStatus = "queued" | "handed_over" | "delivered" | "failed";

/** One message for one device that is due now. A frequency cap may still hold it back. */
export interface DueDelivery extends TenantKey {
  readonly deviceKey: number;
  readonly transport: Transport;
  readonly campaignKey: number;
  readonly notificationKey: number;
  readonly contentKey: number;
  readonly contentType: NotificationType;
  readonly triggerType: TriggerType;
  /** Null for a fixed time. */
  readonly locationKey: number | null;
  readonly cap: CapWindow | null;
  /** Why its texts cannot be rendered, as a sentence; null if they can. */
  readonly failure: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The status and error that a delivery is created with. */
export interface InitialStatus {
  readonly status: DeliveryStatus;
  readonly lastError: string | null;
}

/**
 * An inbox message is delivered at once; a push is queued for a worker. A push fails if its provider has no
 * credentials (contract L6). `configured` holds the providers that have some in the environment.
 */
export const initialStatus = (transport: Transport, configured: ReadonlySet<Transport>): InitialStatus => {
  if (transport === "inbox") return { status: "delivered", lastError: null };
  return configured.has(transport)
    ? { status: "queued", lastError: null }
    : { status: "failed", lastError: noCredentials(transport) };
};

/** The error of a push without credentials. */
export const noCredentials = (transport: Transport): string =>
  `No credentials are set for ${transport} in this environment.`;
