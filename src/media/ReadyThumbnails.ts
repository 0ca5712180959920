import { Context, Effect, Layer, type Option } from "effect";
import type { MediaStoreUnavailable } from "./store/MediaStore.ts";
import { Thumbnails } from "./Thumbnails.ts";
import type { MediaWorkersUnavailable } from "./worker/MediaRefused.ts";

/** The thumbnails behind the public address of media files (contract H2). */
export class ReadyThumbnails extends Context.Service<
  ReadyThumbnails,
  {
    /** As `Thumbnails.ready`: WebP, and always the same for a file, because clients cache it for a year. */
    readonly ready: (
      key: string,
    ) => Effect.Effect<Option.Option<Uint8Array>, MediaStoreUnavailable | MediaWorkersUnavailable>;
  }
>()("waypost/media/ReadyThumbnails") {
  static readonly layer = Layer.effect(
    ReadyThumbnails,
    Effect.map(Thumbnails, ({ ready }) => ({ ready })),
  );
}
