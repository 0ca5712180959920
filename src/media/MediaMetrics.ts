import { Effect, Metric } from "effect";
import type { MediaKind } from "../workspaces/Plan.ts";

const uploads = Metric.counter("waypost_media_uploads_total", {
  description: "Media files that were uploaded, by kind.",
  incremental: true,
});

const bytes = Metric.counter("waypost_media_upload_bytes_total", {
  description: "Bytes of the media files that were uploaded, by kind.",
  incremental: true,
});

const swept = Metric.counter("waypost_media_swept_total", {
  description: "Objects of the media store that belonged to no file and were removed.",
  incremental: true,
});

/** Counts a file that was uploaded to this process. */
export const countUpload = (kind: MediaKind, size: number): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(uploads, { kind }), 1),
    Metric.update(Metric.withAttributes(bytes, { kind }), size),
  );

/** Counts a key whose bytes this process removed. */
export const countSwept: Effect.Effect<void> = Metric.update(swept, 1);
