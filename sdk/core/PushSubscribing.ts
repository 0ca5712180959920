/** A subscription as the browser has it. */
export interface BrowserSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** The public key that it was made for, in base64url. */
  readonly publicKey: string;
}

/** The address that was sent to the server; null for none. */
export type SentAddress = Pick<BrowserSubscription, "endpoint" | "keys"> | null;

/** The address as the device interface takes it. */
export type PushAddress = Pick<BrowserSubscription, "endpoint" | "keys"> & { readonly transport: "webpush" };

/** The next step towards an address that works. */
export type SubscribingStep =
  | { readonly type: "none" }
  /** Subscribe with the server's key, and end the subscription for another key before. */
  | { readonly type: "subscribe"; readonly endsOld: boolean }
  /** Tell the server the address; null if there is none any more. */
  | { readonly type: "send"; readonly push: PushAddress | null };

/**
 * The next step about the push address. It holds for a subscription that changed or expired, and for a key of
 * the server that was replaced (contract BW3).
 */
export const subscribingStep = (facts: {
  /** Whether the app asked for messages, and the person allows them. */
  readonly isWanted: boolean;
  readonly subscription: BrowserSubscription | null;
  /** The server's public key in base64url; null if it sends no Web Push. */
  readonly serverKey: string | null;
  readonly sent: SentAddress;
}): SubscribingStep => {
  const { isWanted, sent, serverKey, subscription } = facts;
  if (!isWanted || serverKey === null) return sent === null ? { type: "none" } : { type: "send", push: null };
  if (subscription === null || subscription.publicKey !== serverKey)
    return { type: "subscribe", endsOld: subscription !== null };
  const { endpoint, keys } = subscription;
  if (JSON.stringify(sent) === JSON.stringify({ endpoint, keys })) return { type: "none" };
  return { type: "send", push: { transport: "webpush", endpoint, keys } };
};
