import { Effect, Layer, Option, Stream } from "effect";
import { readFile } from "node:fs/promises";
import { checkedStore, MediaStore, MediaStoreUnavailable } from "../../../src/media/store/MediaStore.ts";

/** A store in the memory of the process, for tests and benches. */
export const memoryMediaStore: Layer.Layer<MediaStore> = Layer.sync(MediaStore, () => {
  const objects = new Map<string, Uint8Array>();
  return checkedStore({
    put: Effect.fnUntraced(function* (key, file) {
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
