/** Metrics of media files: uploads, workers, thumbnails, the store and its removed objects. */
import { Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";
import { MediaKind } from "../workspaces/Plan.ts";

const uploads = knownSeries(
  Metric.counter("waypost_media_uploads_total", {
    description: "Media files that were uploaded, by kind.",
    incremental: true,
  }),
  { kind: MediaKind.literals },
);

const bytes = knownSeries(
  Metric.counter("waypost_media_upload_bytes_total", {
    description: "Bytes of the media files that were uploaded, by kind.",
    incremental: true,
  }),
  { kind: MediaKind.literals },
);

const swept = knownSeries(
  Metric.counter("waypost_media_swept_total", {
    description: "Objects of the media store that belonged to no file and were removed.",
    incremental: true,
  }),
);

const jobs = knownSeries(
  Metric.counter("waypost_media_child_jobs_total", {
    description:
      "Jobs of the media workers, by outcome: done, refused (a bad file), killed (too much time or " +
      "memory), unable (the worker did not start), turned_away (too many jobs waited).",
    incremental: true,
  }),
  { outcome: ["done", "refused", "killed", "unable", "turned_away"] },
);

const thumbnails = knownSeries(
  Metric.counter("waypost_thumbnails_total", {
    description: "Thumbnails of images, by result: made or failed.",
    incremental: true,
  }),
  { result: ["made", "failed"] },
);

const thumbnailSeconds = knownSeries(
  Metric.histogram("waypost_thumbnail_seconds", {
    description: "Time from reading an image to its thumbnail in the media store, in seconds.",
    boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  }),
);

const storeFailures = knownSeries(
  Metric.counter("waypost_media_store_failures_total", {
    description:
      "Failures of the media store, by operation: put, read (opening an object or reading it), remove.",
    incremental: true,
  }),
  { operation: ["put", "read", "remove"] },
);

/** Counts a file that was uploaded to this process. */
export const countUpload = (kind: MediaKind, size: number): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(uploads, { kind }), 1),
    Metric.update(Metric.withAttributes(bytes, { kind }), size),
  );

/** Counts a key whose bytes this process removed. */
export const countSwept: Effect.Effect<void> = Metric.update(swept, 1);

/** Counts a job of the media workers by its outcome. */
export const countJob = (
  outcome: "done" | "refused" | "killed" | "unable" | "turned_away",
): Effect.Effect<void> => Metric.update(Metric.withAttributes(jobs, { outcome }), 1);

/** Counts a thumbnail and the milliseconds it took. */
export const countThumbnail = (millis: number): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(thumbnails, { result: "made" }), 1),
    Metric.update(thumbnailSeconds, millis / 1000),
  );

/** Counts an image without a thumbnail after its last attempt. */
export const countFailedThumbnail: Effect.Effect<void> = Metric.update(
  Metric.withAttributes(thumbnails, { result: "failed" }),
  1,
);

/** Counts a failure of the media store. */
export const countStoreFailure = (operation: "put" | "read" | "remove"): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(storeFailures, { operation }), 1);
