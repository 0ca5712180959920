import { Clock, Effect, Layer } from "effect";
import { drainPages } from "../database/Pruning.ts";
import { Worker } from "../workers/Worker.ts";
import { MediaLibrarySql } from "./MediaLibrarySql.ts";
import { countSwept } from "./MediaMetrics.ts";
import { MediaStore } from "./store/MediaStore.ts";

const pageSize = 100;
/** How long a process may take to remove the bytes of a key before another process tries. */
const claimMillis = 5 * 60_000;
/** Pause before a second removal, for thumbnails that were drawn while their file was deleted. */
const againMillis = 15 * 60_000;

/**
 * Removes the bytes of every due key that belongs to no file, page by page, and returns their number. When
 * the store is unavailable the rest stays due.
 */
export const sweepOnce = drainPages(
  pageSize,
  Effect.gen(function* () {
    const repository = yield* MediaLibrarySql;
    const store = yield* MediaStore;
    const now = yield* Clock.currentTimeMillis;
    const claimed = yield* repository.claimGarbage(now, now + claimMillis, pageSize);
    for (const key of claimed) {
      yield* store.remove(`${key}/thumbnail`);
      yield* store.remove(key);
      yield* repository.removed(key, now + againMillis);
      yield* countSwept({});
    }
    return claimed.length;
  }),
);

/** The sweeping job. Workers share the keys that are due. */
export const mediaSweeping = Layer.effectDiscard(Worker.every("media_sweeping", "10 seconds", sweepOnce));
