import { Effect, Layer, Option, Stream } from "effect";
import { readFile } from "node:fs/promises";
import { isMediaKey, MediaStore, MediaStoreUnavailable } from "./MediaStore.ts";

/** A store in the memory of the process, for tests and benches. */
export const memoryMediaStore: Layer.Layer<MediaStore> = Layer.sync(MediaStore, () => {
  const objects = new Map<string, Uint8Array>();
  return MediaStore.of({
    put: Effect.fnUntraced(function* (key, file) {
      if (!isMediaKey(key)) return yield* Effect.die(new Error("Not a media key"));
      const content =
        "content" in file
          ? file.content.slice()
          : yield* MediaStoreUnavailable.attempt(() => readFile(file.path));
      objects.set(key, content);
    }),
    read: (key, range) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(objects.get(key)), (content) => {
          const part = range === undefined ? content : content.subarray(range.start, range.end + 1);
          return { bytes: content.length, body: part.length === 0 ? Stream.empty : Stream.succeed(part) };
        }),
      ),
    remove: (key) => Effect.sync(() => void objects.delete(key)),
  });
});
