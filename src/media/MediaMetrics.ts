/** Metrics of media files: uploads, workers, thumbnails, the store and its removed objects. */
import { Effect, Metric } from "effect";
import { counter, knownSeries } from "../telemetry/KnownSeries.ts";
import { MediaKind } from "../workspaces/Plan.ts";

const countFile = counter("waypost_media_uploads_total", "Media files that were uploaded, by kind.", {
  kind: MediaKind.literals,
});

const countBytes = counter(
  "waypost_media_upload_bytes_total",
  "Bytes of the media files that were uploaded, by kind.",
  { kind: MediaKind.literals },
);

const countDrawing = counter("waypost_thumbnails_total", "Thumbnails of images, by result: made or failed.", {
  result: ["made", "failed"],
});

const thumbnailSeconds = knownSeries(
  Metric.histogram("waypost_thumbnail_seconds", {
    description: "Time from reading an image to its thumbnail in the media store, in seconds.",
    boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  }),
);

/** Counts a file that was uploaded to this process. */
export const countUpload = (kind: MediaKind, size: number): Effect.Effect<void> =>
  Effect.andThen(countFile({ kind }), countBytes({ kind }, size));

/** Counts a key whose bytes this process removed. */
export const countSwept = counter(
  "waypost_media_swept_total",
  "Objects of the media store that belonged to no file and were removed.",
  {},
);

/** Counts a thumbnail and the milliseconds it took. */
export const countThumbnail = (millis: number): Effect.Effect<void> =>
  Effect.andThen(countDrawing({ result: "made" }), Metric.update(thumbnailSeconds, millis / 1000));

/** Counts an image without a thumbnail after its last attempt. */
export const countFailedThumbnail = countDrawing({ result: "failed" });

/** Counts a job of the media workers by its outcome. */
export const countJob = counter(
  "waypost_media_child_jobs_total",
  "Jobs of the media workers, by outcome: done, refused (a bad file), killed (too much time or memory), " +
    "unable (the worker did not start), turned_away (too many jobs waited).",
  { outcome: ["done", "refused", "killed", "unable", "turned_away"] },
);

/** Counts a failure of the media store. */
export const countStoreFailure = counter(
  "waypost_media_store_failures_total",
  "Failures of the media store, by operation: put, read (opening an object or reading it), remove.",
  { operation: ["put", "read", "remove"] },
);
