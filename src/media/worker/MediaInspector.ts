import { Context, Effect, Layer } from "effect";
import { MediaWorkers } from "./MediaWorkers.ts";
import type { MediaContent } from "../formats/MediaFormat.ts";
import type { MediaReaderAway, MediaRefused } from "./MediaRefused.ts";

/** Looks into files that anybody may have made: in bounded time and memory, whatever is in them. */
export class MediaInspector extends Context.Service<
  MediaInspector,
  {
    /**
     * What the file at this path is. Reads all of it, and refuses what is empty, none of the accepted formats, cut short or
     * broken, or an image of over 100 megapixels (contract H1). It takes long and is no SQL: an `errand`.
     */
    readonly inspect: (path: string) => Effect.Effect<MediaContent, MediaRefused | MediaReaderAway>;
  }
>()("waypost/media/MediaInspector") {
  static readonly layer = Layer.effect(
    MediaInspector,
    Effect.map(MediaWorkers, (children) => ({
      inspect: (path: string) =>
        Effect.flatMap(children.run({ task: "inspect", path }), (answer) =>
          answer.is === "content"
            ? Effect.succeed(answer.content)
            : Effect.die(new Error("A child gave another answer than it was asked for")),
        ),
    })),
  );
}
