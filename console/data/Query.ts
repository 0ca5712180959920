/** Data of pages: read once for all parts that show it, and read again while it is shown. */
import { signal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { currentSession } from "../session/SessionState.ts";
import type { Page } from "./Resources.ts";
import { machineNow } from "./ServerTime.ts";
import { type ApiProblem, type ApiRequest, awaySince, fetchResponse, sendWhole } from "./ApiCall.ts";
import { workspaceId } from "../session/Scope.ts";

/** The state of a path: the last data, and why the last read failed. */
export interface Loaded<Body> {
  /** The last data, also after a failed read; undefined before the first. */
  readonly data: Body | undefined;
  readonly problem: ApiProblem | undefined;
  readonly etag: string | null;
}

/** Data on a page is at most so old, in milliseconds. */
const pollMillis = 10_000;
/** The time between attempts while the server is away, in milliseconds. */
const retryMillis = 3_000;
/** Entries that no page shows are kept for going back, up to this number. */
const maxIdle = 60;

class Entry {
  readonly loaded: Signal<Loaded<unknown>> = signal({ data: undefined, problem: undefined, etag: null });
  readonly #request: ApiRequest<unknown>;
  readonly #isWhole: boolean;
  readonly #maxItems: number;
  readonly #intervals = new Set<{ readonly millis: number }>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;
  #isStale = false;
  #readAt = 0;

  constructor(request: ApiRequest<unknown>, { isWhole = false, maxItems = Infinity }: QueryOptions) {
    this.#request = request;
    this.#isWhole = isWhole;
    this.#maxItems = maxItems;
  }

  get isShown(): boolean {
    return this.#intervals.size > 0;
  }

  show(millis: number): () => void {
    const interval = { millis };
    this.#intervals.add(interval);
    if (machineNow() - this.#readAt > 1000) void this.read();
    else this.#schedule();
    return () => {
      this.#intervals.delete(interval);
      if (!this.isShown) clearTimeout(this.#timer);
    };
  }

  async read(): Promise<void> {
    clearTimeout(this.#timer);
    // A read that began before a change may miss it.
    if (this.#isReading) return void (this.#isStale = true);
    this.#isReading = true;
    try {
      this.loaded.value = await this.#next();
      this.#readAt = machineNow();
    } catch (error) {
      this.loaded.value = { ...this.loaded.value, problem: error as ApiProblem };
    }
    this.#isReading = false;
    if (this.#isStale) {
      this.#isStale = false;
      await this.read();
    } else this.#schedule();
  }

  /** The data as it is now, which is the same as before if its version is. */
  async #next(): Promise<Loaded<unknown>> {
    const request = this.#request;
    const { loaded } = this;
    if (this.#isWhole) {
      const data = await sendWhole(request as ApiRequest<Page<unknown>>, this.#maxItems);
      return { data, problem: undefined, etag: null };
    }
    const ifNoneMatch = request.isConditional === true ? loaded.value.etag : null;
    const response = await fetchResponse({ ...request, ifNoneMatch });
    if (response.status === 304)
      return loaded.value.problem === undefined ? loaded.value : { ...loaded.value, problem: undefined };
    return { data: await response.json(), problem: undefined, etag: response.headers.get("etag") };
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.isShown || currentSession.value === null) return;
    const millis = Math.min(...[...this.#intervals].map((interval) => interval.millis));
    const wait = awaySince.value === null ? millis : Math.min(millis, retryMillis);
    if (Number.isFinite(wait)) this.#timer = setTimeout(() => void this.#poll(), wait);
  }

  /** A page that nobody sees reads nothing. It reads at once when it is seen again. */
  async #poll(): Promise<void> {
    if (document.visibilityState === "hidden") {
      document.addEventListener("visibilitychange", () => void this.#poll(), { once: true });
      return;
    }
    if (this.isShown && currentSession.value !== null) await this.read();
  }
}

const entries = new Map<string, Entry>();

const entryOf = (key: string, request: ApiRequest<unknown>, options: QueryOptions): Entry => {
  let entry = entries.get(key);
  if (entry === undefined) {
    const idle = [...entries].filter(([, each]) => !each.isShown).map(([each]) => each);
    for (const each of idle.slice(0, Math.max(0, idle.length - maxIdle))) entries.delete(each);
    entries.set(key, (entry = new Entry(request, options)));
  }
  return entry;
};

const idleData: Loaded<never> = { data: undefined, problem: undefined, etag: null };

/** How data is read. */
export interface QueryOptions {
  /** How often, in milliseconds; Infinity for once. */
  readonly millis?: number;
  /** Whether all pages of a list are read, and not only the first. */
  readonly isWhole?: boolean;
  /** The most items of a list that is read whole. */
  readonly maxItems?: number;
}

/** The data of a request, read again every 10 seconds. Null reads nothing. */
export const useData = <Body>(request: ApiRequest<Body> | null, options: QueryOptions = {}): Loaded<Body> => {
  const { isWhole = false, maxItems, millis = pollMillis } = options;
  // The same path has other data in another workspace.
  const key = `${currentSession.value?.id} ${workspaceId.value} ${isWhole} ${maxItems} ${request?.path}`;
  useEffect(
    () => (request === null ? undefined : entryOf(key, request, options).show(millis)),
    [key, millis],
  );
  return request === null ? idleData : (entryOf(key, request, options).loaded.value as Loaded<Body>);
};

/** Reads everything on the page again, after a change. */
export const refresh = async (): Promise<void> => {
  const shown = [...entries].filter(([, entry]) => entry.isShown);
  for (const [key, entry] of entries) if (!entry.isShown) entries.delete(key);
  await Promise.all(shown.map(([, entry]) => entry.read()));
};
