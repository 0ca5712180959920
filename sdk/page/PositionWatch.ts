import type { Entry } from "../core/Entry.ts";
import type { Fix, Geofence } from "../core/Geofence.ts";
import { follow, isCoarse, maxFences, needsFences, unknown, withFences } from "../core/Tracking.ts";
import type { DeviceSettings, DeviceStore } from "../device/DeviceStore.ts";
import { callServer } from "../device/Sender.ts";

/** Follows where the browser is, and queues a position when it could matter (contract BW5). */
export class PositionWatch {
  readonly #store: DeviceStore;
  readonly #settings: DeviceSettings;
  readonly #append: (entry: Entry) => Promise<void>;
  #watch: number | undefined;
  /** Fixes are followed one after another. */
  #last: Promise<void> = Promise.resolve();

  constructor(store: DeviceStore, settings: DeviceSettings, append: (entry: Entry) => Promise<void>) {
    this.#store = store;
    this.#settings = settings;
    this.#append = append;
  }

  /** Begins to follow; the options of a watch that runs are replaced. */
  watch({ accuracy = "low" }: { readonly accuracy?: "high" | "low" }): { readonly stop: () => void } {
    this.stop();
    this.#watch = navigator.geolocation.watchPosition(
      ({ coords, timestamp }) => {
        const { accuracy: radius, latitude, longitude } = coords;
        const fix = { latitude, longitude, accuracy: radius, at: Math.round(timestamp) };
        this.#last = this.#last.then(() => this.#follow(fix)).catch(() => {});
      },
      () => {},
      { enableHighAccuracy: accuracy === "high", maximumAge: 10_000 },
    );
    return { stop: () => this.stop() };
  }

  /** Ends following. */
  stop(): void {
    if (this.#watch !== undefined) navigator.geolocation.clearWatch(this.#watch);
    this.#watch = undefined;
  }

  async #fencesAt({ latitude, longitude }: Fix): Promise<ReadonlyArray<Geofence> | null> {
    const token = await this.#store.token();
    if (token === null) return null;
    const path = `/geofences?lat=${latitude}&lng=${longitude}&limit=${maxFences}`;
    const answer = await callServer(this.#settings, { method: "GET", path, credential: token });
    return answer?.status === 200 ? (answer.body?.data as unknown as ReadonlyArray<Geofence>) : null;
  }

  async #follow(fix: Fix): Promise<void> {
    if (isCoarse(fix)) return;
    const before = (await this.#store.get("tracking")) ?? unknown;
    const fences = needsFences(before, fix) ? await this.#fencesAt(fix) : null;
    const { isSent, tracking } = follow(fences === null ? before : withFences(before, fences, fix), fix);
    // Without geofences the server alone can tell what the fix means.
    const isBlind = fences === null && needsFences(before, fix);
    const { accuracy, at, latitude, longitude } = fix;
    // In this order a crash between repeats a position, which the server counts once, and loses none.
    if (isSent || isBlind) await this.#append({ type: "position", latitude, longitude, accuracy, at });
    await this.#store.update("tracking", () => tracking);
  }
}
