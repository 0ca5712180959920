import { Context, Data, Effect, Option, type Scope, Stream } from "effect";
import { messageOf } from "../../database/DurableFiles.ts";
import { ServiceUnavailable } from "../../wire/ApiError.ts";
import { countStoreFailure } from "../MediaMetrics.ts";

/** The store cannot be used now: a full disk, no connection. A failed change has no visible effect. */
export class MediaStoreUnavailable extends Data.TaggedError("MediaStoreUnavailable")<{
  /** For the log, never for clients: it may name paths or buckets. */
  readonly problem: string;
  readonly cause?: unknown;
}> {
  override get message(): string {
    return `The media store cannot be used: ${this.problem}`;
  }
  /** The error for clients: 503 with `Retry-After`. */
  get apiError(): ServiceUnavailable {
    return ServiceUnavailable.of(
      "The service cannot reach its media store at the moment: try again in a few seconds.",
    );
  }
  /** Runs an operation of a store. `context` precedes the message of its error. */
  static attempt<A>(operation: (signal: AbortSignal) => Promise<A>, context = "") {
    return Effect.tryPromise({
      try: operation,
      catch: (cause) => new MediaStoreUnavailable({ problem: context + messageOf(cause), cause }),
    });
  }
}

/** Bytes to store: a file on this machine, or bytes in memory. */
export type MediaBytes =
  | { readonly path: string; readonly bytes: number; readonly mimeType: string }
  | { readonly content: Uint8Array; readonly mimeType: string };

/** The first and last byte of a part, counted from 0. An end past the last byte means the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An object that is open for reading until its scope closes, even if it is removed meanwhile. */
export interface StoredBytes {
  /** Size of the whole object, also when only a part is read. */
  readonly bytes: number;
  /** The whole object or the requested part. A part that starts past the end is empty. */
  readonly body: Stream.Stream<Uint8Array, MediaStoreUnavailable>;
}

/** 16 to 48 random bytes as base64url, then perhaps the name of an object derived from that one. */
const keyPattern = /^[A-Za-z0-9_-]{22,64}(?:\/[a-z][a-z0-9]{0,15})?$/;

/** Whether the text can be a key: 22 to 64 characters of base64url, with or without `/thumbnail`. */
export const isMediaKey = (text: string): boolean => keyPattern.test(text);

/**
 * The bytes of media files, shared by all processes. Reading or removing a text that cannot be a key
 * (`isMediaKey`) finds nothing; putting one is a defect.
 */
export class MediaStore extends Context.Service<
  MediaStore,
  {
    /**
     * Stores an object whole or not at all; it is durable when this returns. An object with the same key is
     * replaced, and its open readers keep the old bytes.
     */
    readonly put: (key: string, file: MediaBytes) => Effect.Effect<void, MediaStoreUnavailable>;
    /** Opens an object, or none if there is no such object. Memory stays flat however slow the reader is. */
    readonly read: (
      key: string,
      range?: ByteRange,
    ) => Effect.Effect<Option.Option<StoredBytes>, MediaStoreUnavailable, Scope.Scope>;
    /** Removes an object. Succeeds if there is none. */
    readonly remove: (key: string) => Effect.Effect<void, MediaStoreUnavailable>;
  }
>()("waypost/media/MediaStore") {}

/** Adds to a store the check of keys and the metric of failures. */
export const checkedStore = (store: MediaStore["Service"]): MediaStore["Service"] => ({
  put: (key, file) =>
    isMediaKey(key)
      ? Effect.tapError(store.put(key, file), () => countStoreFailure({ operation: "put" }))
      : Effect.die(new Error("Not a media key")),
  read: (key, range) =>
    (isMediaKey(key) ? store.read(key, range) : Effect.succeedNone).pipe(
      Effect.map(
        Option.map(({ body, bytes }) => ({
          bytes,
          body: Stream.tapError(body, () => countStoreFailure({ operation: "read" })),
        })),
      ),
      Effect.tapError(() => countStoreFailure({ operation: "read" })),
    ),
  remove: (key) =>
    isMediaKey(key)
      ? Effect.tapError(store.remove(key), () => countStoreFailure({ operation: "remove" }))
      : Effect.void,
});
