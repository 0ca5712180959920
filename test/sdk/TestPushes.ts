/** Pushes in a test browser, which has no notifications and reaches no push service. */
import { Effect } from "effect";
import { type Page, type Target, TargetType } from "puppeteer-core";

/**
 * A script for a worker: it notes what it shows. `shownAfter` resolves once it has shown so many,
 * `handledAfter` once it has handled so many pushes.
 */
export const recorder = `
  self.shown = [];
  const handled = [];
  const waiting = new Set();
  const after = (list, count) =>
    new Promise((resolve) => {
      const notify = () => list.length >= count && resolve(list);
      waiting.add(notify);
      notify();
    });
  self.shownAfter = (count) => after(self.shown, count);
  self.handledAfter = (count) => after(handled, count).then(() => true);
  const { waitUntil } = ExtendableEvent.prototype;
  ExtendableEvent.prototype.waitUntil = function (work) {
    const note = () => this.type === "push" && handled.push(this.type) && waiting.forEach((each) => each());
    Promise.resolve(work).then(note, note);
    return waitUntil.call(this, work);
  };
  ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
    self.shown.push({ title, ...options });
    for (const notify of waiting) notify();
  };`;

/** Gives pages of an origin these permissions. */
export const granted = (page: Page, origin: string, ...names: ReadonlyArray<string>) => {
  const grants = names.map((name) => ({ permission: { name }, state: "granted" as const }));
  return Effect.promise(() => page.browserContext().setPermission(origin, ...grants));
};

/** The service worker of a page. */
export const workerOf = (page: Page) =>
  Effect.promise(async () => {
    const { origin } = new URL(page.url());
    const isOwn = (each: Target) =>
      each.type() === TargetType.SERVICE_WORKER && each.url().startsWith(origin);
    const found = await page.browserContext().waitForTarget(isOwn, { timeout: 30_000 });
    const worker = await found.worker();
    if (worker === null) throw new Error("The page has no service worker.");
    return worker;
  });

/** A script for a page: its subscriptions are those of this address of a local push service. */
export const subscribingTo = (address: unknown): string => `{
  const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")),
    (each) => each.charCodeAt(0)).buffer;
  const { endpoint, keys } = ${JSON.stringify(address)};
  let current = null;
  PushManager.prototype.subscribe = async (options) => (current = {
    endpoint,
    getKey: (name) => decode(keys[name]),
    options: { applicationServerKey: decode(options.applicationServerKey) },
    unsubscribe: async () => (current = null, true),
  });
  PushManager.prototype.getSubscription = async () => current;
}`;

/** Delivers pushes to the service worker of a page, as the browser's push service would. */
export const pushesTo = (page: Page) =>
  Effect.promise(async () => {
    const client = await page.createCDPSession();
    const registrationId = await new Promise<string>((resolve, reject) => {
      client.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
        if (first !== undefined) resolve(first.registrationId);
      });
      client.send("ServiceWorker.enable").catch(reject);
    });
    const { origin } = new URL(page.url());
    return (payload: unknown) =>
      Effect.promise(() =>
        client.send("ServiceWorker.deliverPushMessage", {
          origin,
          registrationId,
          data: JSON.stringify(payload),
        }),
      );
  });
