import { Clock, Context, Effect, Latch, Layer, Option, Stream } from "effect";
import { builtInPicture } from "./BuiltInPictures.ts";
import { MediaWorkers } from "./worker/MediaWorkers.ts";
import { MediaReaderAway, type MediaRefused } from "./worker/MediaRefused.ts";
import { MediaStore, MediaStoreAway } from "./store/MediaStore.ts";
import { countFailed, countMade } from "./ThumbnailMetrics.ts";
import { type ClaimedThumbnail, ThumbnailsSql } from "./ThumbnailsSql.ts";
import { UploadFolder } from "./upload/UploadFolder.ts";

/** Longer than any making takes: after it, who claimed a thumbnail is dead. */
const claimMillis = 2 * 60_000;
/** How long a reader waits for another process before it takes the work over. */
const attemptTimeoutMillis = 10_000;
const lookMillis = 200;
/** Between two tries while the store or the children are away. */
const awayMillis = 30_000;
const mostTries = 3;
const atOnce = 2;

/** A thumbnail is in the store beside its file. */
const nameOf = (key: string): string => `${key}/thumbnail`;

/**
 * The pictures that stand for media files (contract H2). An image's is made after its upload by whoever comes first: a worker, or
 * who asks for it. What is to be made stands in the file's row, so a crash loses nothing.
 */
export class Thumbnails extends Context.Service<Thumbnails>()("waypost/media/Thumbnails", {
  make: Effect.gen(function* () {
    const repository = yield* ThumbnailsSql;
    const store = yield* MediaStore;
    const children = yield* MediaWorkers;
    const folder = yield* UploadFolder;
    const called = yield* Latch.make(false);

    const lost = new MediaStoreAway({ problem: "the bytes of a media file are not in it" });

    /** From the image in the store to its thumbnail in the store. */
    const draw = Effect.fnUntraced(function* (key: string) {
      const began = yield* Clock.currentTimeMillis;
      const image = yield* Effect.flatMap(store.read(key), Effect.fromOption).pipe(
        Effect.catchTag("NoSuchElementError", () => Effect.fail(lost)),
      );
      const { handle, path } = yield* folder.file;
      yield* Stream.runForEach(image.body, (chunk) => Effect.promise(() => handle.writeFile(chunk)));
      const answer = yield* children.run({ task: "thumbnail", path });
      if (answer.is !== "thumbnail") return yield* Effect.die(new Error("A child gave another answer"));
      yield* store.put(nameOf(key), { content: answer.picture, mimeType: "image/webp" });
      yield* countMade((yield* Clock.currentTimeMillis) - began);
      return answer.picture;
    }, Effect.scoped);

    const notPossible = Effect.fnUntraced(function* (claimed: ClaimedThumbnail, refused: MediaRefused) {
      yield* Effect.logWarning(`A thumbnail cannot be made (try ${claimed.tries} of ${mostTries})`, refused);
      if (claimed.tries < mostTries) {
        return yield* repository.giveBack(claimed.key, yield* Clock.currentTimeMillis, claimed.tries);
      }
      yield* countFailed;
      return yield* repository.settle(claimed.key, "failed");
    });

    const later = (claimed: ClaimedThumbnail, after: number) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        repository.giveBack(claimed.key, now + after, claimed.tries - 1),
      );

    /** One try at a claimed one, which then is settled or given back, whatever happens but a crash. */
    const attempt = (claimed: ClaimedThumbnail) =>
      draw(claimed.key).pipe(
        Effect.andThen(repository.settle(claimed.key, "ready")),
        Effect.catchTag("MediaRefused", (refused) => notPossible(claimed, refused)),
        Effect.tapError(() => later(claimed, awayMillis)),
        Effect.onInterrupt(() => later(claimed, 0)),
      );

    /** Until it is settled: waits for who makes it, or makes it. Fails where neither came to an end in time. */
    const settled = Effect.fnUntraced(function* (key: string, seenDue: number) {
      const began = yield* Clock.currentTimeMillis;
      while (true) {
        const now = yield* Clock.currentTimeMillis;
        const isLate = now >= began + attemptTimeoutMillis;
        const dueBy = isLate ? Math.max(now, seenDue) : now;
        const [claimed] = yield* repository.claimOne(key, dueBy, now + claimMillis);
        // A reader who goes away must not count as a try that failed.
        if (claimed !== undefined) yield* Effect.uninterruptible(attempt(claimed));
        const [state] = yield* repository.find(key);
        if (state?.thumbnail !== "pending") return state;
        if (isLate) return yield* new MediaReaderAway({ problem: "a thumbnail is not made in time." });
        if (claimed === undefined) yield* Effect.sleep(lookMillis);
      }
    });

    const stored = Effect.fnUntraced(function* (key: string) {
      const found = yield* store.read(nameOf(key));
      if (Option.isNone(found)) return undefined;
      return Buffer.concat(yield* Stream.runCollect(found.value.body));
    }, Effect.scoped);

    return {
      /**
       * The picture of the file of this key, as WebP; none where there is no such file. Waits for an image's that is not made yet; a
       * video's, an audio's, and that of an image which no thumbnail can be made of, is built in. What is given once is
       * given ever after.
       */
      ready: Effect.fn("Thumbnails.ready")(function* (key: string) {
        const [found] = yield* repository.find(key);
        const due = found?.due ?? null;
        const state = due === null ? found : yield* settled(key, due);
        if (state === undefined) return Option.none();
        if (state.thumbnail !== "ready") return Option.some(builtInPicture(state.kind));
        const picture = yield* stored(key);
        // A store that lost it can have it again.
        return Option.some(
          picture ?? (yield* Effect.catchTag(draw(key), "MediaRefused", () => Effect.fail(lost))),
        );
      }),

      /** Makes every thumbnail that is due, a few at a time; tells how many it took. Ends where the store or the children are away. */
      makeDue: Effect.gen(function* () {
        let taken = 0;
        while (true) {
          const now = yield* Clock.currentTimeMillis;
          const claimed = yield* repository.claim(now, now + claimMillis, atOnce);
          yield* Effect.forEach(claimed, attempt, { concurrency: atOnce, discard: true });
          taken += claimed.length;
          if (claimed.length < atOnce) return taken;
        }
      }),

      /** Says to this process's worker that there may be something to make. */
      call: Effect.asVoid(called.open),
      /** Returns when it was said since the last time. */
      called: Effect.andThen(called.await, called.close),
    };
  }),
}) {
  static readonly layer = Layer.effect(Thumbnails, Thumbnails.make).pipe(
    Layer.provide([ThumbnailsSql.layer, UploadFolder.layer]),
  );
}
