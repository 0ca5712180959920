/** All locations of a filter, read page by page, and kept as the server has them. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { type ApiProblem, type ApiRequest, send, withParameters } from "../data/ApiCall.ts";
import { pollMillis } from "../data/Query.ts";
import type { Location, Page } from "../data/Resources.ts";
import { machineNow, serverNow } from "../data/ServerTime.ts";
import { workspaceId } from "../session/Scope.ts";
import { currentSession } from "../session/SessionState.ts";

/** The locations that are known so far. */
export interface LocationSet {
  readonly locations: ReadonlyArray<Location>;
  /** Whether the first page was read. */
  readonly isKnown: boolean;
  /** Whether all were read. */
  readonly isWhole: boolean;
  /** Whether there are more than the console shows. */
  readonly isCut: boolean;
  readonly problem: ApiProblem | undefined;
}

const unknown: LocationSet = {
  locations: [],
  isKnown: false,
  isWhole: false,
  isCut: false,
  problem: undefined,
};

const pageSize = 100;
/** The newest locations are shown, up to this number of pages. */
const maxPages = 200;
/** Up to so many pages are read again as a whole at each poll; of more, only what was changed. */
const smallPages = 10;
/** Milliseconds after which many pages are read again as a whole, which shows what was deleted. */
const wholeMillis = 60_000;
const retryMillis = 3_000;
/** Changes are asked for from so many milliseconds before the last read: a transaction may end later. */
const overlapMillis = 5_000;
/** Pages between two updates of the page while the first read runs. */
const publishPages = 25;

const merged = (
  known: ReadonlyArray<Location>,
  changed: ReadonlyArray<Location>,
): ReadonlyArray<Location> => {
  if (changed.length === 0) return known;
  const byId = new Map(changed.map((each) => [each.id, each]));
  const kept = known.map((each) => {
    const change = byId.get(each.id);
    byId.delete(each.id);
    return change ?? each;
  });
  return [...byId.values(), ...kept];
};

const isSame = (a: ReadonlyArray<Location>, b: ReadonlyArray<Location>): boolean =>
  a.length === b.length &&
  a.every((each, index) => each.id === b[index]?.id && each.updated_at === b[index].updated_at);

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

class LocationReader {
  readonly set = signal(unknown);
  readonly #list: ApiRequest<Page<Location>>;
  #isShown = false;
  #isRunning = false;
  #isStale = false;
  #wholeAt = -Infinity;
  #changedSince = 0;
  #wake: () => void = () => undefined;

  constructor(list: ApiRequest<Page<Location>>) {
    this.#list = list;
  }

  show(): () => void {
    this.#isShown = true;
    void this.#run();
    return () => {
      this.#isShown = false;
      this.#wake();
    };
  }

  /** Reads everything again, after a change. */
  refresh(): void {
    this.#isStale = true;
    this.#wake();
  }

  get #isWanted(): boolean {
    return this.#isShown && currentSession.value !== null;
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#isWanted) {
      let wait = pollMillis;
      try {
        if (document.visibilityState === "visible") await this.#poll();
      } catch (error) {
        this.set.value = { ...this.set.value, problem: error as ApiProblem };
        wait = retryMillis;
      }
      if (!this.#isStale) await Promise.race([pause(wait), new Promise<void>((wake) => (this.#wake = wake))]);
    }
    this.#isRunning = false;
  }

  async #poll(): Promise<void> {
    const isSmall = this.set.value.locations.length <= smallPages * pageSize;
    const isDue = isSmall || this.#isStale || machineNow() - this.#wholeAt > wholeMillis;
    await (isDue || !this.set.value.isWhole ? this.#readWhole() : this.#readChanges());
  }

  async #readWhole(): Promise<void> {
    // Two changes within a second have the same time.
    const isForced = this.#isStale;
    this.#isStale = false;
    const begun = serverNow();
    const isFirst = !this.set.value.isWhole;
    const locations: Array<Location> = [];
    let pages = 0;
    let cursor: string | null = null;
    do {
      const page: Page<Location> = await this.#page(cursor);
      locations.push(...page.data);
      cursor = page.meta.next_cursor;
      pages += 1;
      const isPublished = pages === 1 || pages % publishPages === 0;
      if (isFirst && cursor !== null && isPublished)
        this.set.value = { ...unknown, locations: [...locations], isKnown: true };
    } while (cursor !== null && pages < maxPages && this.#isWanted);
    if (cursor !== null && pages < maxPages) return;
    this.#wholeAt = machineNow();
    this.#changedSince = begun;
    const before = this.set.value;
    const isEqual = !isForced && before.isWhole && isSame(before.locations, locations);
    const next = { isKnown: true, isWhole: true, isCut: cursor !== null, problem: undefined };
    if (!isEqual || before.problem !== undefined)
      this.set.value = { ...next, locations: isEqual ? before.locations : locations };
  }

  async #readChanges(): Promise<void> {
    const begun = serverNow();
    const since = new Date(this.#changedSince - overlapMillis).toISOString();
    const changed: Array<Location> = [];
    let cursor: string | null = null;
    do {
      const page: Page<Location> = await this.#page(cursor, since);
      changed.push(...page.data);
      cursor = page.meta.next_cursor;
    } while (cursor !== null && this.#isWanted);
    this.#changedSince = begun;
    const before = this.set.value;
    const locations = merged(before.locations, changed);
    if (before.problem !== undefined || !isSame(before.locations, locations))
      this.set.value = { ...before, locations, problem: undefined };
  }

  /** A page. While the server is away or the session's requests are used up, it tries again. */
  async #page(cursor: string | null, since?: string): Promise<Page<Location>> {
    const request = withParameters(this.#list, {
      limit: String(pageSize),
      ...(since !== undefined && { updated_since: since }),
      ...(cursor !== null && { cursor }),
    });
    for (;;) {
      try {
        return await send(request);
      } catch (error) {
        const problem = error as ApiProblem;
        if (!problem.isTemporary || !this.#isWanted) throw error;
        this.set.value = { ...this.set.value, problem };
        await pause(retryMillis);
      }
    }
  }
}

const readers = new Map<string, LocationReader>();
const maxReaders = 8;

const readerOf = (key: string, list: ApiRequest<Page<Location>>): LocationReader => {
  let reader = readers.get(key);
  if (reader === undefined) {
    const [oldest] = readers.keys();
    if (readers.size >= maxReaders && oldest !== undefined) readers.delete(oldest);
    readers.set(key, (reader = new LocationReader(list)));
  }
  return reader;
};

/** The locations of a filter, which has the API's parameters. */
export const useLocations = ({ group, q }: { readonly q: string; readonly group: string }): LocationSet => {
  const list = platform.locations.list({ q: q || undefined, group: group || undefined });
  const key = `${currentSession.value?.id} ${workspaceId.value} ${list.path}`;
  useEffect(() => readerOf(key, list).show(), [key]);
  return readerOf(key, list).set.value;
};

/** Reads all locations again, after a change. */
export const refreshLocations = (): void => {
  for (const reader of readers.values()) reader.refresh();
};
