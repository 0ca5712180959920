import { newDevice } from "../core/DeviceState.ts";
import type { Entry, Profile } from "../core/Entry.ts";
import type { DroppedEntry } from "../core/Outcome.ts";
import { DeviceStore } from "../device/DeviceStore.ts";
import { refreshSubscription } from "../device/PushSubscription.ts";
import { alone, callServer, readServer, sendQueue } from "../device/Sender.ts";
import { unknown } from "../core/Tracking.ts";
import { PositionWatch } from "./PositionWatch.ts";
import { asJson, differing, profileOf, type StartOptions } from "./StartOptions.ts";

export type { StartOptions };

/** A message of the inbox, as `GET /device/v1/messages` shows it. */
export type Message = Readonly<Record<string, unknown>> & { readonly id: string };

/** The answer to a question of a survey. */
export interface SurveyAnswer {
  readonly question_id: string;
  readonly value: unknown;
}

interface Listeners {
  /** Messages that came back for a position or an event, and pushes that were shown. */
  message: (message: Message) => void;
  /** Something that the server will never take, with its reasons. */
  dropped: (dropped: DroppedEntry) => void;
}

interface Report {
  readonly name: keyof Listeners;
  readonly value: never;
}

/** The time that `start` waits for the first attempt, in milliseconds. */
const firstAttemptMillis = 5_000;

/** Timers of browsers hold no longer time than 24 days. */
const maxTimerMillis = 86_400_000;

/** A page of the app as a device. All tabs of a browser are one device. */
export class Waypost {
  readonly #store: DeviceStore;
  readonly #options: StartOptions;
  readonly #listeners: { readonly [Name in keyof Listeners]: Set<Listeners[Name]> } = {
    message: new Set(),
    dropped: new Set(),
  };
  /** The other tabs, which report what they send, and the worker, which reports what it shows. */
  readonly #tabs = new BroadcastChannel("waypost");
  readonly #positions: PositionWatch;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isForgotten = false;

  /** @internal */
  constructor(store: DeviceStore, options: StartOptions) {
    this.#store = store;
    this.#options = options;
    this.#positions = new PositionWatch(store, options, (entry) => this.#append(entry));
    this.#tabs.addEventListener("message", ({ data }: MessageEvent<Report>) => this.#emit(data));
    addEventListener("online", () => void this.refresh().catch(() => {}));
    // Another tab may have left entries behind.
    document.addEventListener("visibilitychange", () => this.#sendSoon());
  }

  #emit({ name, value }: Report): void {
    for (const listener of this.#listeners[name]) listener(value);
  }

  /** Reports to this tab and to all others. */
  #report(name: keyof Listeners, value: unknown): void {
    const report: Report = { name, value: value as never };
    this.#tabs.postMessage(report);
    this.#emit(report);
  }

  #dropped(dropped: DroppedEntry): void {
    this.#report("dropped", dropped);
    // The server does not know where the device went, so the next fix is sent.
    if (dropped.entry.type === "position")
      void alone(() => this.#store.update("tracking", () => unknown), "waypost-fix").catch(() => {});
  }

  /** Sends what waits, and tries again later what could not be sent. */
  async send(): Promise<void> {
    const nextAt = await sendQueue(this.#store, this.#options, (dropped, messages) => {
      for (const each of dropped) this.#dropped(each);
      for (const message of messages) this.#report("message", message);
    });
    await leave(this.#store, this.#options);
    clearTimeout(this.#timer);
    if (nextAt !== null && !this.#isForgotten)
      this.#timer = setTimeout(() => this.#sendSoon(), Math.min(maxTimerMillis, nextAt - Date.now()));
  }

  /** Sends without anybody who waits. The entries stay if the storage fails. */
  #sendSoon(): void {
    this.send().catch(() => {});
  }

  async #append(entry: Entry): Promise<void> {
    if (this.#isForgotten) throw new Error("This device was forgotten: call start() again.");
    const dropped = await this.#store.append(asJson(entry));
    if (dropped !== null) this.#dropped({ entry: dropped, reasons: ["The queue is full."] });
    this.#sendSoon();
  }

  #change(body: Profile): Promise<void> {
    return this.#append({ type: "change", body });
  }

  /** Sends what waits, and brings the push address up to date. */
  async refresh(): Promise<boolean> {
    await this.send();
    const registration = await navigator.serviceWorker?.getRegistration();
    if (registration?.pushManager === undefined) return false;
    const isSubscribed = await refreshSubscription(this.#store, this.#options, registration.pushManager);
    await this.send();
    return isSubscribed;
  }

  /** Asks for the permission to show messages, and subscribes to them. Call it in an answer to a click. */
  async subscribe(): Promise<"subscribed" | "denied" | "unsupported"> {
    if (!("serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis))
      return "unsupported";
    if ((await Notification.requestPermission()) !== "granted") return "denied";
    await navigator.serviceWorker.register(this.#options.worker ?? "/waypost-worker.js");
    await navigator.serviceWorker.ready;
    await this.#store.update("isWanted", () => true);
    return (await this.refresh()) ? "subscribed" : "unsupported";
  }

  /** Ends the subscription. Messages wait in the inbox from then on. */
  async unsubscribe(): Promise<void> {
    await this.#store.update("isWanted", () => false);
    await endSubscription();
    await this.#store.update("address", () => null);
    await this.#change({ push: null });
  }

  /** Sets attributes for segments. They merge by name, and null removes one. */
  setAttributes(attributes: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#change({ attributes });
  }

  /** Names the person behind the browser; null for nobody. */
  identify(userId: string | null, userHash: string | null = null): Promise<void> {
    return this.#change({ user_id: userId, user_hash: userHash });
  }

  /** The person wants no messages any more. */
  optOut(): Promise<void> {
    return this.#change({ subscribed: false });
  }

  /** The person wants messages again. */
  optIn(): Promise<void> {
    return this.#change({ subscribed: true });
  }

  /** Reports something that happened, such as `basket.filled`. */
  track(name: string, properties: Readonly<Record<string, string | number | boolean>> = {}): Promise<void> {
    return this.#append({ type: "event", id: crypto.randomUUID(), name, properties, at: Date.now() });
  }

  /** Reports that a message was read. */
  opened(message: string): Promise<void> {
    return this.#append({ type: "opened", message, at: Date.now() });
  }

  /** Reports that a message's button was pressed. */
  clicked(message: string): Promise<void> {
    return this.#append({ type: "clicked", message, at: Date.now() });
  }

  /** Answers the survey of a message. */
  answer(message: string, answers: ReadonlyArray<SurveyAnswer>): Promise<void> {
    return this.#append({ type: "answers", message, answers });
  }

  /** The messages of this device, newest first; empty while it is not registered. @throws offline */
  async messages(limit = 20): Promise<ReadonlyArray<Message>> {
    await this.send();
    if ((await this.#store.token()) === null) return [];
    const body = await readServer(this.#store, this.#options, `/messages?limit=${limit}`);
    if (body === null) throw new Error("The messages could not be loaded.");
    return body.data as unknown as ReadonlyArray<Message>;
  }

  /** Reports positions when they could matter, until `stop()` is called. Asks for the permission. */
  watchPosition(options: { readonly accuracy?: "high" | "low" } = {}): { readonly stop: () => void } {
    return this.#positions.watch(options);
  }

  /** Calls a function for each message that comes back or is shown, or for each entry that was dropped. */
  on<Name extends keyof Listeners>(name: Name, listener: Listeners[Name]): () => void {
    this.#listeners[name].add(listener);
    return () => this.#listeners[name].delete(listener);
  }

  /** Unregisters this browser and empties its storage. `start()` makes a new device. */
  async forget(): Promise<void> {
    this.#isForgotten = true;
    clearTimeout(this.#timer);
    this.#positions.stop();
    await endSubscription();
    await this.#store.forget();
    await leave(this.#store, this.#options);
  }
}

const endSubscription = async (): Promise<void> => {
  const registration = await navigator.serviceWorker?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
};

/** Unregisters the devices that were forgotten, also while the server could not be reached. */
const leave = async (store: DeviceStore, options: StartOptions): Promise<void> => {
  for (const credential of (await store.get("leaving")) ?? []) {
    const answer = await callServer(options, { method: "DELETE", path: "/devices/me", credential });
    if (answer === null || answer.status >= 500 || answer.status === 429) return;
    await store.update("leaving", (tokens) => (tokens ?? []).filter((token) => token !== credential));
  }
};

/**
 * Registers this browser as a device, and keeps it registered. Resolves even offline: everything waits then.
 * @throws if the browser offers no storage, or an address, key or attribute has no sense
 */
export const start = async (options: StartOptions): Promise<Waypost> => {
  const url = new URL(options.url).href.replace(/\/$/, "");
  if (!options.sdkKey.startsWith("wpk_")) throw new TypeError("The sdkKey must begin with wpk_.");
  const store = await DeviceStore.open();
  const settings = { ...options, url };
  const profile = profileOf(options);
  const state = await store.update("state", (before) => before ?? newDevice(crypto.randomUUID(), profile));
  await store.update("settings", () => ({ url, sdkKey: options.sdkKey }));
  const waypost = new Waypost(store, settings);
  const change = differing(profile, state.profile);
  if (Object.keys(change).length > 0) await store.append({ type: "change", body: change });
  const attempt = waypost.refresh().catch(() => {});
  await Promise.race([attempt, new Promise((resolve) => setTimeout(resolve, firstAttemptMillis))]);
  return waypost;
};
