import { Effect, Layer, Option } from "effect";
import { ReadyThumbnails } from "../../src/media/Thumbnails.ts";
import { MediaStoreUnavailable } from "../../src/media/store/MediaStore.ts";

/** A key whose thumbnail is unavailable. */
export const unavailableKey = "A".repeat(32);
/** A key without a file. */
export const unknownKey = "B".repeat(32);

/** One small picture for every other key. */
export const fakeThumbnails = Layer.succeed(ReadyThumbnails, {
  ready: (key) => {
    if (key === unavailableKey)
      return Effect.fail(new MediaStoreUnavailable({ problem: "as the test wants" }));
    return key === unknownKey
      ? Effect.succeedNone
      : Effect.succeed(Option.some(Buffer.from("a small picture")));
  },
});
