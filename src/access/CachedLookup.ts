import { Clock, Effect } from "effect";
import { WorkspaceChanges } from "../database/WorkspaceChanges.ts";

/** How long something is remembered without being looked up again, in milliseconds: bounds a lost notification. */
const cacheMillis = 5_000;
const maxCached = 10_000;

/**
 * A look-up that remembers what it found until the workspace that `workspaceOf` names changes, in whatever process that happens
 * (`WorkspaceChanges`), and for five seconds at most. What was not found is not remembered.
 */
export const cachedLookup = <Key, Found extends object, E, R>(
  workspaceOf: (found: Found) => number,
  lookUp: (key: Key) => Effect.Effect<Found | null, E, R>,
) =>
  Effect.gen(function* () {
    const changes = yield* WorkspaceChanges;
    const known = new Map<Key, { readonly found: Found; readonly until: number }>();
    // A look-up that a change overtakes must not be remembered.
    let generation = 0;
    yield* changes.listen((workspaceId) => {
      generation++;
      for (const [key, { found }] of known) {
        if (workspaceId === "all" || workspaceOf(found) === workspaceId) known.delete(key);
      }
    });
    return Effect.fnUntraced(function* (key: Key) {
      const now = yield* Clock.currentTimeMillis;
      const entry = known.get(key);
      if (entry !== undefined && entry.until > now) return entry.found;
      const started = generation;
      const found = yield* lookUp(key);
      if (found === null || started !== generation) return found;
      if (known.size >= maxCached) known.clear();
      known.set(key, { found, until: now + cacheMillis });
      return found;
    });
  });

/** True for a key at most once in so many milliseconds: for notes that need not be exact. */
export const atMostEvery = (millis: number) => {
  const last = new Map<string, number>();
  return (key: string, now: number): boolean => {
    if (now - (last.get(key) ?? -Infinity) < millis) return false;
    if (last.size >= maxCached) last.clear();
    last.set(key, now);
    return true;
  };
};
