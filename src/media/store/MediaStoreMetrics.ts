import { Effect, Metric, Option, Stream } from "effect";
import type { MediaStore } from "./MediaStore.ts";

const failures = Metric.counter("waypost_media_store_failures_total", {
  description:
    "Failures of the media store, by operation: put, read (opening an object or reading it), remove.",
  incremental: true,
});

const failed = (operation: "put" | "read" | "remove") =>
  Metric.update(Metric.withAttributes(failures, { operation }), 1);

/** The store with its failures counted. */
export const counted = (store: MediaStore["Service"]): MediaStore["Service"] => ({
  put: (key, file) => Effect.tapError(store.put(key, file), () => failed("put")),
  read: (key, range) =>
    store.read(key, range).pipe(
      Effect.tapError(() => failed("read")),
      Effect.map(
        Option.map(({ body, bytes }) => ({ bytes, body: Stream.tapError(body, () => failed("read")) })),
      ),
    ),
  remove: (key) => Effect.tapError(store.remove(key), () => failed("remove")),
});
