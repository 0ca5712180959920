import { Effect, Metric } from "effect";

const thumbnails = Metric.counter("waypost_thumbnails_total", {
  description: "Thumbnails of images, by what became of them: made or failed.",
  incremental: true,
});

const seconds = Metric.histogram("waypost_thumbnail_seconds", {
  description: "Time from reading an image to its thumbnail in the media store, in seconds.",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

const made = Metric.withAttributes(thumbnails, { result: "made" });
const failed = Metric.withAttributes(thumbnails, { result: "failed" });

/** Counts a thumbnail that was made in so many milliseconds. */
export const countMade = (millis: number): Effect.Effect<void> =>
  Effect.andThen(Metric.update(made, 1), Metric.update(seconds, millis / 1000));

/** Counts an image that no thumbnail can be made of. */
export const countFailed: Effect.Effect<void> = Metric.update(failed, 1);
