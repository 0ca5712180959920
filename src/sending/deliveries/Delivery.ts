import type { Transport } from "../../devices/PushAddress.ts";
import type { NotificationType } from "../../notifications/MessageContent.ts";
import type { TriggerType } from "../../notifications/Notification.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { Quiet } from "../../workspaces/QuietHours.ts";
import type { UnitArm } from "../arms/Experiments.ts";
import type { KeptFacts } from "../rendering/KeptFacts.ts";
import type { CapWindow } from "./FrequencyCap.ts";
import type { CampaignKey, ContentKey, DeviceKey, LocationKey, NotificationKey } from "../../wire/Ids.ts";

/**
 * The states of a delivery: `held` until the quiet hours of its device end, `queued` until a worker takes it,
 * `handed_over` from just before the push provider is called, `delivered` once the provider accepted it (an
 * inbox message at once), `failed` once it was refused for good (contract K1).
 */
export type DeliveryStatus = "held" | "queued" | "handed_over" | "delivered" | "failed";

/** One message for one device that is due now. A frequency cap or a cooldown may still hold it back. */
export interface DueDelivery extends TenantKey {
  readonly deviceKey: DeviceKey;
  readonly transport: Transport;
  /** The person behind the device; null for none. */
  readonly userKey: number | null;
  /** The person whose devices share the cap and the cooldown; null if the device has them for itself. */
  readonly sharedBy: number | null;
  readonly campaignKey: CampaignKey;
  readonly notificationKey: NotificationKey;
  readonly contentKey: ContentKey;
  readonly contentType: NotificationType;
  readonly triggerType: TriggerType;
  /** Null for a fixed time. */
  readonly locationKey: LocationKey | null;
  readonly cap: CapWindow | null;
  /** Why its texts cannot be rendered, as a sentence; null if they can. */
  readonly failure: string | null;
  /** A message of the campaign at the location after this instant (epoch milliseconds) holds it back. */
  readonly cooldownSince: number | null;
  /** Whether its environment has a pace, for which it counts (contract T5). */
  readonly isPaced: boolean;
  /** The effect of quiet hours on it; null outside of them. */
  readonly quiet: Quiet | null;
  /** The facts that it keeps of its recipient; null for a content that is the same for all. */
  readonly recipient: KeptFacts | null;
  /** The arm of its unit; null if its campaign has no experiment. */
  readonly arm: UnitArm | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * The status of a delivery when it is created. One that quiet hours drop, or whose unit is held out, is not
 * created.
 */
export type FirstStatus = DeliveryStatus | "dropped" | "held_out";

/** The status and error that a delivery is created with. */
export interface InitialStatus {
  readonly status: FirstStatus;
  readonly lastError: string | null;
}

/**
 * An inbox message is delivered at once; a push is queued for a worker. A push fails if its provider has no
 * credentials (contract L6). `configured` holds the providers that have some in the environment.
 */
export const initialStatus = (
  transport: Transport,
  configured: ReadonlySet<Transport>,
): InitialStatus & { readonly status: "delivered" | "queued" | "failed" } => {
  if (transport === "inbox") return { status: "delivered", lastError: null };
  return configured.has(transport)
    ? { status: "queued", lastError: null }
    : { status: "failed", lastError: noCredentials(transport) };
};

/** The status of a delivery in quiet hours: whether it can be sent is decided when they end. */
export const quietStatus = ({ action }: Quiet): InitialStatus => ({
  status: action === "hold" ? "held" : "dropped",
  lastError: null,
});

/** The error of a push without credentials. */
export const noCredentials = (transport: Transport): string =>
  `No credentials are set for ${transport} in this environment.`;
