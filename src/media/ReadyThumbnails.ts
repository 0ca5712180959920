import { Context, Effect, Layer, Option } from "effect";
import type { MediaReaderAway } from "./worker/MediaRefused.ts";
import type { MediaStoreAway } from "./store/MediaStore.ts";
import { Thumbnails } from "./Thumbnails.ts";

/** A small picture, whole in memory. */
export interface ThumbnailPicture {
  readonly content: Uint8Array;
  readonly mimeType: string;
}

/** The small pictures that stand for media files, for their public address (contract H2). */
export class ReadyThumbnails extends Context.Service<
  ReadyThumbnails,
  {
    /**
     * The picture of the file of this key; none where there is no such file. An image's that is not made yet is waited for, or made
     * on the spot; a video's, an audio's, and that of an image which no thumbnail can be made of, is built in. What is given once
     * is given ever after: readers keep it for a year.
     */
    readonly ready: (
      key: string,
    ) => Effect.Effect<Option.Option<ThumbnailPicture>, MediaStoreAway | MediaReaderAway>;
  }
>()("waypost/media/ReadyThumbnails") {
  static readonly layer = Layer.effect(
    ReadyThumbnails,
    Effect.map(Thumbnails, ({ ready }) => ({
      ready: (key: string) =>
        Effect.map(
          ready(key),
          Option.map((content) => ({ content, mimeType: "image/webp" })),
        ),
    })),
  );
}
