import { Context, type Effect, type Option } from "effect";

/** What the media address must know of a file to serve it. */
export interface ServedFile {
  /** As detected at upload. */
  readonly mimeType: string;
  readonly bytes: number;
  /** As the uploader named it: any text. */
  readonly name: string;
}

/** The files that are there for readers, over all workspaces: their keys cannot be guessed (contract H3). */
export class MediaFiles extends Context.Service<
  MediaFiles,
  {
    /** The file whose bytes are in the store under this key; none once it is deleted. */
    readonly find: (key: string) => Effect.Effect<Option.Option<ServedFile>>;
  }
>()("waypost/media/MediaFiles") {}
