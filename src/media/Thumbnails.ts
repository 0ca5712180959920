/** Thumbnails of media files (contract H2). */
import { Clock, Context, Effect, Latch, Layer, Option, Semaphore, Stream } from "effect";
import { Worker } from "../workers/Worker.ts";
import { builtInPicture } from "./BuiltInPictures.ts";
import { countFailedThumbnail, countThumbnail } from "./MediaMetrics.ts";
import { MediaStore, MediaStoreUnavailable } from "./store/MediaStore.ts";
import { type ThumbnailLease, ThumbnailsSql } from "./ThumbnailsSql.ts";
import { UploadFolder } from "./upload/UploadFolder.ts";
import { type MediaRefused, MediaWorkers, MediaWorkersUnavailable } from "./worker/MediaWorkers.ts";

/** Longer than any drawing takes, so an expired lease means that its process died. */
const leaseMillis = 2 * 60_000;
/** How long a reader waits for another process before it draws the thumbnail itself. */
const readerTimeoutMillis = 10_000;
const pollMillis = 200;
/** Pause before the next attempt while the store or the media workers are unavailable. */
const unavailableMillis = 30_000;
const maxAttempts = 3;
const drawConcurrency = 2;

/** The key of a thumbnail in the store, beside its file. */
const thumbnailKey = (key: string): string => `${key}/thumbnail`;

const bytesLost = new MediaStoreUnavailable({ problem: "the bytes of a media file are not in it" });

type Unavailable = MediaStoreUnavailable | MediaWorkersUnavailable;

/**
 * Thumbnails of all media files. The first process that needs the thumbnail of a new image draws it: a
 * worker, or one that a client asked for it. The file's row records pending ones, so a crash loses none.
 */
export class Thumbnails extends Context.Service<
  Thumbnails,
  {
    /**
     * The thumbnail of the file with this key, as WebP; none if there is no such file. Waits for an image's
     * thumbnail or draws it. Videos, audios and images that cannot be drawn have a built-in picture. The
     * result for a file never changes.
     */
    readonly ready: (key: string) => Effect.Effect<Option.Option<Uint8Array>, Unavailable>;
    /** Draws every thumbnail that is due and returns their number. */
    readonly drawDue: Effect.Effect<number, Unavailable>;
    /** Wakes the thumbnail worker of this process. */
    readonly wake: Effect.Effect<void>;
    /** Completes at the next `wake`. */
    readonly awaitWake: Effect.Effect<void>;
  }
>()("waypost/media/Thumbnails") {
  static readonly layer = Layer.effect(
    Thumbnails,
    Effect.gen(function* () {
      const repository = yield* ThumbnailsSql;
      const store = yield* MediaStore;
      const workers = yield* MediaWorkers;
      const folder = yield* UploadFolder;
      const latch = yield* Latch.make(false);

      /** Reads the image from the store, draws its thumbnail and stores that. */
      const draw = Effect.fnUntraced(function* (workspaceId: number, key: string) {
        const began = yield* Clock.currentTimeMillis;
        const image = yield* store.read(key);
        if (Option.isNone(image)) return yield* bytesLost;
        const { handle, path } = yield* folder.file;
        yield* Stream.runForEach(image.value.body, (chunk) =>
          MediaStoreUnavailable.attempt(() => handle.writeFile(chunk)),
        );
        const picture = yield* workers.thumbnail(workspaceId, path);
        yield* store.put(thumbnailKey(key), { content: picture, mimeType: "image/webp" });
        yield* countThumbnail((yield* Clock.currentTimeMillis) - began);
        return picture;
      }, Effect.scoped);

      const releaseAfterRefusal = Effect.fnUntraced(function* (lease: ThumbnailLease, refused: MediaRefused) {
        const { attempts, key } = lease;
        const progress = `attempt ${attempts} of ${maxAttempts}`;
        yield* Effect.logWarning(`A thumbnail cannot be drawn (${progress})`, refused);
        if (attempts < maxAttempts) {
          yield* repository.release(key, yield* Clock.currentTimeMillis, attempts);
        } else {
          yield* countFailedThumbnail;
          yield* repository.settle(key, "failed");
        }
      });

      /** Releases the lease without counting the attempt; it is due again after `millis`. */
      const postpone = ({ attempts, key }: ThumbnailLease, millis: number) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => repository.release(key, now + millis, attempts - 1));

      /** Draws a leased thumbnail and settles it, or releases the lease. After a crash the lease expires. */
      const attempt = (lease: ThumbnailLease) =>
        draw(lease.workspaceId, lease.key).pipe(
          Effect.andThen(repository.settle(lease.key, "ready")),
          Effect.catchTag("MediaRefused", (refused) => releaseAfterRefusal(lease, refused)),
          Effect.tapError(() => postpone(lease, unavailableMillis)),
          Effect.onInterrupt(() => postpone(lease, 0)),
        );

      /** The workspace of the last lease, and those whose thumbnail is being drawn. */
      const rotation = { last: 0, drawing: new Set<number>() };
      const leasing = yield* Semaphore.make(1);

      /** Leases a thumbnail of the next workspace. A workspace has one drawn at a time. */
      const leaseNext = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis;
        const leaseAfter = (after: number) =>
          repository.lease(now, now + leaseMillis, after, [...rotation.drawing]);
        const lease = (yield* leaseAfter(rotation.last)) ?? (yield* leaseAfter(0));
        if (lease === null) return null;
        rotation.last = lease.workspaceId;
        rotation.drawing.add(lease.workspaceId);
        return lease;
      }).pipe(Effect.uninterruptible, leasing.withPermits(1));

      /** Draws thumbnails until none is due, and returns their number. */
      const drain = Effect.gen(function* () {
        for (let drawn = 0; ; drawn += 1) {
          const isDone = yield* Effect.acquireUseRelease(
            leaseNext,
            (lease) => (lease === null ? Effect.succeed(true) : Effect.as(attempt(lease), false)),
            (lease) => Effect.sync(() => void (lease !== null && rotation.drawing.delete(lease.workspaceId))),
          );
          if (isDone) return drawn;
        }
      });

      /** Waits until a pending thumbnail is settled, drawing it if no other process holds its lease. */
      const settled = Effect.fnUntraced(function* (key: string, leasedUntil: number) {
        const deadline = (yield* Clock.currentTimeMillis) + readerTimeoutMillis;
        while (true) {
          const now = yield* Clock.currentTimeMillis;
          const isLate = now >= deadline;
          const dueBy = isLate ? Math.max(now, leasedUntil) : now;
          const lease = yield* repository.leaseOne(key, dueBy, now + leaseMillis);
          // A reader that disconnects must not count as a failed attempt.
          if (lease !== null) yield* Effect.uninterruptible(attempt(lease));
          const state = yield* repository.find(key);
          if (state?.thumbnail !== "pending") return state;
          if (isLate) {
            return yield* new MediaWorkersUnavailable({ problem: "a thumbnail was not drawn in time." });
          }
          if (lease === null) yield* Effect.sleep(pollMillis);
        }
      });

      const stored = Effect.fnUntraced(function* (key: string) {
        const found = yield* store.read(thumbnailKey(key));
        if (Option.isNone(found)) return undefined;
        return Buffer.concat(yield* Stream.runCollect(found.value.body));
      }, Effect.scoped);

      return Thumbnails.of({
        ready: Effect.fn("Thumbnails.ready")(function* (key) {
          const found = yield* repository.find(key);
          const due = found?.due ?? null;
          const state = due === null ? found : yield* settled(key, due);
          if (state === null) return Option.none();
          if (state.thumbnail !== "ready") return Option.some(builtInPicture(state.kind));
          const picture = yield* stored(key);
          // Restores a thumbnail that the store has lost.
          return Option.some(
            picture ??
              (yield* Effect.catchTag(draw(state.workspaceId, key), "MediaRefused", () =>
                Effect.fail(bytesLost),
              )),
          );
        }),
        drawDue: Effect.map(
          Effect.all(
            Array.from({ length: drawConcurrency }, () => drain),
            { concurrency: drawConcurrency },
          ),
          (drawn) => drawn.reduce((sum, count) => sum + count, 0),
        ),
        wake: Effect.asVoid(latch.open),
        awaitWake: Effect.andThen(latch.await, latch.close),
      });
    }),
  ).pipe(Layer.provide(UploadFolder.layer));
}

/** The thumbnails behind the public address of media files (contract H2). Tests replace them. */
export class ReadyThumbnails extends Context.Service<ReadyThumbnails, Pick<Thumbnails["Service"], "ready">>()(
  "waypost/media/ReadyThumbnails",
) {
  static readonly layer = Layer.effect(ReadyThumbnails, Thumbnails);
}

/**
 * The thumbnail worker: draws thumbnails at once after an upload to this process, and every two seconds those
 * of other processes and of expired leases. Workers share the thumbnails that are due.
 */
export const thumbnailWorker = Layer.effectDiscard(
  Effect.flatMap(Thumbnails, ({ awaitWake, drawDue }) =>
    Worker.every("thumbnails", "2 seconds", drawDue, { wake: awaitWake }),
  ),
);
