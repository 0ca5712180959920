import type { Entry } from "../core/Entry.ts";
import type { Fix, Geofence } from "../core/Geofence.ts";
import { follow, isCoarse, maxFences, needsFences, unknown, withFences } from "../core/Tracking.ts";
import type { DeviceSettings, DeviceStore } from "../device/DeviceStore.ts";
import { alone, readServer } from "../device/Sender.ts";

/** The pause after geofences could not be asked for. */
const askAgainMillis = 30_000;

/** Follows where the browser is, and queues a position when it could matter (contract BW5). */
export class PositionWatch {
  readonly #store: DeviceStore;
  readonly #settings: DeviceSettings;
  readonly #append: (entry: Entry) => Promise<void>;
  #watch: number | undefined;
  /** The geofences are not asked for again before, in the monotonic milliseconds of the page. */
  #askAgainAt = 0;
  /** Fixes are followed one after another, also those of other tabs. */
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
        const at = Math.min(Math.round(timestamp), Date.now());
        const fix = { latitude, longitude, accuracy: radius, at };
        this.#last = this.#last.then(() => alone(() => this.#follow(fix), "waypost-fix")).catch(() => {});
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
    if (performance.now() < this.#askAgainAt) return null;
    const path = `/geofences?lat=${latitude}&lng=${longitude}&limit=${maxFences}`;
    const body = await readServer(this.#store, this.#settings, path);
    if (body === null) this.#askAgainAt = performance.now() + askAgainMillis;
    return (body?.data ?? null) as ReadonlyArray<Geofence> | null;
  }

  async #follow(fix: Fix): Promise<void> {
    if (isCoarse(fix)) return;
    const before = (await this.#store.get("tracking")) ?? unknown;
    const fences = needsFences(before, fix) ? await this.#fencesAt(fix) : null;
    const known = fences === null ? before : withFences(before, fences, fix);
    const { isSent, tracking } = follow(known, fix, needsFences(known, fix));
    // In this order a crash between repeats a position, which the server counts once, and loses none.
    if (isSent) await this.#append({ type: "position", ...fix });
    await this.#store.update("tracking", () => tracking);
  }
}
