import { Context, Data, type Effect } from "effect";
import { ServiceUnavailable } from "../wire/ApiError.ts";
import type { MediaContent } from "./MediaFormat.ts";

/** The file is none that can be taken; the message is a full sentence for the field `file`. */
export class MediaRefused extends Data.TaggedError("MediaRefused")<{ readonly message: string }> {}

/** Files cannot be looked into now: too many are waiting, or this machine cannot run what looks into them. */
export class MediaReaderAway extends Data.TaggedError("MediaReaderAway")<{
  /** For the log, never for clients. */
  readonly problem: string;
}> {
  override get message(): string {
    return `Media files cannot be looked into: ${this.problem}`;
  }
  /** What a client is told: 503 with `Retry-After`. */
  get refusal(): ServiceUnavailable {
    return ServiceUnavailable.of(
      "The service cannot look into media files at the moment: try again in a few seconds.",
    );
  }
}

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
>()("waypost/media/MediaInspector") {}
