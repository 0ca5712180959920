import { Clock, Effect } from "effect";
import { WorkspaceChanges } from "../database/WorkspaceChanges.ts";
import { monotonicMillis } from "../time/MonotonicTime.ts";

/** How long a result is cached, in milliseconds: the bound if a change notification is lost. */
const cacheMillis = 5_000;
const maxCached = 10_000;

/**
 * Caches the results of a lookup for five seconds, or until the workspace that `workspaceOf` names changes in
 * any process (`WorkspaceChanges`). A null is not cached.
 */
export const cachedLookup = <Key, Found extends object, E, R>(
  workspaceOf: (found: Found) => number,
  lookUp: (key: Key) => Effect.Effect<Found | null, E, R>,
) =>
  Effect.gen(function* () {
    const changes = yield* WorkspaceChanges;
    const cache = new Map<Key, { readonly found: Found; readonly until: number }>();
    // The result of a lookup during which a workspace changed is not cached.
    let generation = 0;
    yield* changes.listen((workspaceId) => {
      generation++;
      for (const [key, { found }] of cache) {
        if (workspaceId === "all" || workspaceOf(found) === workspaceId) cache.delete(key);
      }
    });
    return Effect.fnUntraced(function* (key: Key) {
      const now = monotonicMillis(yield* Clock.Clock);
      const entry = cache.get(key);
      if (entry !== undefined && entry.until > now) return entry.found;
      const started = generation;
      const found = yield* lookUp(key);
      if (found === null || started !== generation) return found;
      if (cache.size >= maxCached) cache.clear();
      cache.set(key, { found, until: now + cacheMillis });
      return found;
    });
  });

/**
 * Gives a function that is true for a key at most once in so many milliseconds, for values that may be
 * inexact.
 */
export const atMostEvery = (millis: number) => {
  const last = new Map<string, number>();
  return (key: string, now: number): boolean => {
    if (now - (last.get(key) ?? -Infinity) < millis) return false;
    if (last.size >= maxCached) last.clear();
    last.set(key, now);
    return true;
  };
};
