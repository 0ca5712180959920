import type { Transport } from "../devices/PushAddress.ts";
import type { NotificationType } from "../notifications/MessageContent.ts";
import type { TriggerType } from "../notifications/Notification.ts";
import type { Environment } from "../workspaces/Environment.ts";
import type { CapWindow } from "./FrequencyCap.ts";

/**
 * The states of a delivery: `queued` until a worker takes it, `handed_over` from before the push service is called,
 * `delivered` when the service took it (an inbox at once), `failed` when it refused for good (contract K1).
 */
export type DeliveryStatus = "queued" | "handed_over" | "delivered" | "failed";

/** One message for one device, set off now and not yet decided on: a frequency cap may keep it back. */
export interface DueDelivery {
  readonly workspaceId: number;
  readonly environment: Environment;
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
  /** Epoch milliseconds. */
  readonly now: number;
}

/** How a delivery begins. */
export interface Beginning {
  readonly status: DeliveryStatus;
  readonly lastError: string | null;
}

/**
 * An inbox has a message at once, a push waits for a worker. A transport without credentials fails it, saying so (contract L6):
 * `configured` holds those that have some in the environment.
 */
export const beginning = (transport: Transport, configured: ReadonlySet<Transport>): Beginning => {
  if (transport === "inbox") return { status: "delivered", lastError: null };
  return configured.has(transport)
    ? { status: "queued", lastError: null }
    : { status: "failed", lastError: noCredentials(transport) };
};

/** Why a push cannot be handed over where no credentials are set. */
export const noCredentials = (transport: Transport): string =>
  `No credentials are set for ${transport} in this environment.`;
