import { Context, Data, type Effect, type Option, type Scope, type Stream } from "effect";
import { ServiceUnavailable } from "../../wire/ApiError.ts";

/** The store cannot do its work now: the disk is full, the bucket out of reach. Nothing of the change has happened for readers. */
export class MediaStoreAway extends Data.TaggedError("MediaStoreAway")<{
  /** For the log, never for clients: it may name paths or buckets. */
  readonly problem: string;
  readonly cause?: unknown;
}> {
  override get message(): string {
    return `The media store cannot be used: ${this.problem}`;
  }
  /** What a client is told: 503 with `Retry-After`. */
  get refusal(): ServiceUnavailable {
    return ServiceUnavailable.of(
      "The service cannot reach its media store at the moment: try again in a few seconds.",
    );
  }
}

/** Bytes to be put into the store: a file on this machine, or what is in memory already. */
export type MediaBytes =
  | { readonly path: string; readonly bytes: number; readonly mimeType: string }
  | { readonly content: Uint8Array; readonly mimeType: string };

/** A part of an object, both ends included, counted from 0; an end past the last byte means the last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An object of the store that is open for reading until its scope closes, also when it is removed meanwhile. */
export interface StoredBytes {
  /** Of the whole object, whatever part is read. */
  readonly bytes: number;
  /** The whole object, or the part that was asked for; a part that begins past the end is empty. */
  readonly body: Stream.Stream<Uint8Array, MediaStoreAway>;
}

/** 16 random bytes and more as base64url, and what was derived from the object of that name. */
const shape = /^[A-Za-z0-9_-]{22,64}(?:\/[a-z][a-z0-9]{0,15})?$/;

/** Whether the text can be the key of an object: `<22 to 64 characters of base64url>`, or that with `/thumbnail` or the like. */
export const isMediaKey = (text: string): boolean => shape.test(text);

/**
 * The bytes of media files. A key that can be none (`isMediaKey`) is never there, and a defect to put. Objects of one
 * key are the same to all processes that share the store.
 */
export class MediaStore extends Context.Service<
  MediaStore,
  {
    /** Whole or not at all, and durable when it returns. An object of that key is replaced; its readers go on with the old bytes. */
    readonly put: (key: string, file: MediaBytes) => Effect.Effect<void, MediaStoreAway>;
    /** Opens an object for reading; none where there is no such object. Memory stays flat, however slow the reader. */
    readonly read: (
      key: string,
      range?: ByteRange,
    ) => Effect.Effect<Option.Option<StoredBytes>, MediaStoreAway, Scope.Scope>;
    /** Gone when it returns, whether it was there or not. */
    readonly remove: (key: string) => Effect.Effect<void, MediaStoreAway>;
  }
>()("waypost/media/MediaStore") {}
