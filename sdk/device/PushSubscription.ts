import { type BrowserSubscription, subscribingStep } from "../core/PushSubscribing.ts";
import type { DeviceSettings, DeviceStore } from "./DeviceStore.ts";
import { readServer } from "./Sender.ts";

const base64Url = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const shownOf = (subscription: PushSubscription | null): BrowserSubscription | null =>
  subscription && {
    endpoint: subscription.endpoint,
    keys: {
      p256dh: base64Url(subscription.getKey("p256dh")),
      auth: base64Url(subscription.getKey("auth")),
    },
    publicKey: base64Url(subscription.options.applicationServerKey),
  };

/** The server's key for pushes; null if it sends none. Undefined while it cannot be asked. */
const serverKey = async (
  store: DeviceStore,
  settings: DeviceSettings,
): Promise<string | null | undefined> => {
  const body = await readServer(store, settings, "/push-key");
  return body === null ? undefined : (body.data?.public_key ?? null);
};

/**
 * Brings the push address up to date: subscribes if the app wants pushes and the person allows them, and
 * queues an address that the server does not know (contract BW3). Returns whether pushes arrive.
 */
export const refreshSubscription = async (
  store: DeviceStore,
  settings: DeviceSettings,
  pushes: PushManager,
): Promise<boolean> => {
  const key = await serverKey(store, settings);
  if (key === undefined) return false;
  const isWanted = (await store.get("isWanted")) === true && Notification.permission === "granted";
  // Subscribing is one step, and sending the new address the next.
  for (let round = 0; round < 3; round += 1) {
    const current = await pushes.getSubscription();
    const sent = (await store.get("address")) ?? null;
    const step = subscribingStep({ isWanted, subscription: shownOf(current), serverKey: key, sent });
    if (step.type === "none") return isWanted && key !== null;
    if (step.type === "subscribe") {
      if (step.endsOld) await current?.unsubscribe();
      // The browser's push service may be out of reach, or switched off.
      const made = await pushes
        .subscribe({ userVisibleOnly: true, applicationServerKey: key })
        .catch(() => null);
      if (made === null) return false;
    } else {
      await store.append({ type: "change", body: { push: step.push } });
      const { push } = step;
      await store.update("address", () => push && { endpoint: push.endpoint, keys: push.keys });
    }
  }
  return false;
};
