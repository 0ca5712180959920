/**
 * The service worker: shows the pushes that arrive, and reports opens and clicks (contract BW6). An app's
 * worker loads it by `importScripts`.
 */
import type { Entry } from "../core/Entry.ts";
import { DeviceStore } from "../device/DeviceStore.ts";
import { refreshSubscription } from "../device/PushSubscription.ts";
import { sendFirst } from "./FirstEntries.ts";

declare const self: ServiceWorkerGlobalScope;

/** A push as the server sends it. */
interface PushMessage {
  readonly id: string;
  readonly headline: string;
  readonly body: string;
  readonly media: { readonly type: string; readonly url: string } | null;
  readonly cta_url: string | null;
  readonly actions?: ReadonlyArray<{
    readonly id: string;
    readonly title: string;
    readonly url: string | null;
  }>;
  readonly data?: Readonly<Record<string, string>>;
  readonly silent?: boolean;
  readonly app_badge?: number;
  /** The declarative form, which has the address that a press opens. */
  readonly notification?: { readonly navigate: string; readonly lang?: string; readonly silent?: boolean };
}

/** The facts that a shown notification keeps for its press. */
interface ShownData {
  readonly id: string;
  /** Addresses by the id of the action; that of the notification itself by the empty text. */
  readonly addresses: Readonly<Record<string, string>>;
}

const isWebAddress = (address: string | null | undefined): address is string =>
  typeof address === "string" && /^https?:/i.test(address);

const show = async (message: PushMessage): Promise<void> => {
  const store = await DeviceStore.open();
  // A push for a device that was forgotten shows nothing.
  if ((await store.get("state")) === undefined || message.silent === true) return;
  const { actions = [], app_badge: badge, body, headline, id, media, notification } = message;
  const addresses: Record<string, string> = {};
  const address = notification?.navigate ?? message.cta_url;
  for (const [name, target] of [
    ["", address] as const,
    ...actions.map((each) => [each.id, each.url] as const),
  ])
    if (isWebAddress(target)) addresses[name] = target;
  const options = {
    body,
    tag: id,
    data: { id, addresses } satisfies ShownData,
    silent: notification?.silent ?? null,
    actions: actions.map((each) => ({ action: each.id, title: each.title })),
    ...(notification?.lang === undefined ? {} : { lang: notification.lang }),
    ...(media?.type === "image" ? { image: media.url } : {}),
  };
  await self.registration.showNotification(headline, options);
  // The inbox of an open page has the message from now on.
  new BroadcastChannel("waypost").postMessage({ name: "message", value: message });
  // A browser may refuse badges, but not the message for that.
  if (badge !== undefined) await navigator.setAppBadge?.(badge);
};

/** Queues entries and tries to send them. They stay if that fails. */
const report = async (entries: ReadonlyArray<Entry>): Promise<void> => {
  const store = await DeviceStore.open();
  for (const entry of entries) await store.append(entry);
  await sendFirst(store);
};

/** Focuses a page of the app that shows the address, or opens one. */
const openAddress = async (address: string): Promise<void> => {
  for (const client of await self.clients.matchAll({ type: "window", includeUncontrolled: true }))
    if (client.url === address) {
      await client.focus();
      return;
    }
  await self.clients.openWindow(address);
};

self.addEventListener("push", (event) => {
  event.waitUntil(
    (async () => {
      const message = event.data?.json() as PushMessage | undefined;
      // The app's worker may get pushes of other services.
      if (message?.headline !== undefined) await show(message);
    })(),
  );
});

self.addEventListener("notificationclick", (event) => {
  const { action, notification } = event;
  const { addresses, id } = notification.data as ShownData;
  const address = addresses[action];
  const at = Date.now();
  notification.close();
  event.waitUntil(
    Promise.all([
      openAddress(address ?? self.registration.scope),
      report([
        { type: "opened", message: id, at },
        ...(address === undefined ? [] : [{ type: "clicked", message: id, at } as const]),
      ]),
    ]),
  );
});

// The browser has replaced or ended the subscription.
self.addEventListener("pushsubscriptionchange", (event) => {
  (event as ExtendableEvent).waitUntil(
    (async () => {
      const store = await DeviceStore.open();
      const settings = await store.get("settings");
      if (settings === undefined) return;
      await refreshSubscription(store, settings, self.registration.pushManager);
      await sendFirst(store);
    })(),
  );
});
