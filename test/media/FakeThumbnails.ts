import { Effect, Layer, Option } from "effect";
import { MediaStoreAway } from "../../src/media/store/MediaStore.ts";
import { ReadyThumbnails } from "../../src/media/ReadyThumbnails.ts";

/** A key whose thumbnail cannot be had now. */
export const troubledKey = "A".repeat(32);
/** A key of nothing. */
export const unknownKey = "B".repeat(32);

/** One small picture for every other key. */
export const standInThumbnails = Layer.succeed(ReadyThumbnails, {
  ready: (key) => {
    if (key === troubledKey) return Effect.fail(new MediaStoreAway({ problem: "a test says so" }));
    if (key === unknownKey) return Effect.succeedNone;
    return Effect.succeed(Option.some({ content: Buffer.from("a small picture"), mimeType: "image/webp" }));
  },
});
