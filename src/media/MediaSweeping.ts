import { Clock, Effect, Layer } from "effect";
import { Worker } from "../workers/Worker.ts";
import { MediaLibrarySql } from "./MediaLibrarySql.ts";
import { countSwept } from "./MediaMetrics.ts";
import { MediaStore } from "./store/MediaStore.ts";

const page = 100;
/** Who claims a key has this long to remove its bytes; then another may. */
const claimMillis = 5 * 60_000;
/** A thumbnail that was under way when its file was deleted is in the store by then. */
const againMillis = 15 * 60_000;

/**
 * Removes the bytes of every key that belongs to no file and is due, page by page; tells how many. A store that is away leaves
 * the rest for the next time.
 */
export const sweepOnce = Effect.gen(function* () {
  const repository = yield* MediaLibrarySql;
  const store = yield* MediaStore;
  let swept = 0;
  while (true) {
    const now = yield* Clock.currentTimeMillis;
    const claimed = yield* repository.claimGarbage(now, now + claimMillis, page);
    for (const { key } of claimed) {
      yield* store.remove(`${key}/thumbnail`);
      yield* store.remove(key);
      yield* repository.removed(key, now + againMillis);
      yield* countSwept;
      swept++;
    }
    if (claimed.length < page) return swept;
  }
});

/** The job: two workers share the keys that are due. */
export const mediaSweeping = Layer.effectDiscard(Worker.every("media_sweeping", "10 seconds", sweepOnce));
