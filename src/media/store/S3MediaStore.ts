/** Media in a bucket of S3, or of a service with the same protocol. */
import { Effect, Layer, Option, Scope, Stream } from "effect";
import {
  type ByteRange,
  checkedStore,
  MediaStore,
  MediaStoreUnavailable,
  type StoredBytes,
} from "./MediaStore.ts";
import { s3ErrorCode, s3Requests, type S3Response, type S3Setting, unexpected } from "./S3Requests.ts";

/** Longest wait for the next bytes of an object. Time in which nobody asks for them does not count. */
const readTimeout = "20 seconds";
/** How often a broken read resumes without any bytes in between. */
const maxResumes = 3;

type Send = Effect.Success<ReturnType<typeof s3Requests>>;

const unavailable = (problem: string) => new MediaStoreUnavailable({ problem });

/** None if there is no such object. Any other failure, such as a missing bucket, is an error. */
const orNone = Effect.fnUntraced(function* (response: S3Response) {
  const { status } = response;
  if (status === 200 || status === 206) return Option.some(response);
  if (status !== 404) return yield* yield* unexpected(response);
  const code = yield* s3ErrorCode(response);
  if (code === "" || code === "NoSuchKey") return Option.none<S3Response>();
  return yield* unavailable(`the bucket answered with status 404 (${code})`);
});

/** The size of the whole object, in bytes. */
const sizeOf = ({ header, status }: S3Response): number | undefined => {
  const text = status === 206 ? header("content-range")?.split("/")[1] : header("content-length");
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
};

const read = Effect.fnUntraced(function* (send: Send, key: string, range: ByteRange | undefined) {
  const scope = yield* Effect.scope;
  const start = range?.start ?? 0;
  const last = range === undefined || !Number.isFinite(range.end) ? "" : String(range.end);
  const get = (from: number, headers: Readonly<Record<string, string>> = {}) =>
    Scope.provide(
      send({ method: "GET", key, headers: { ...headers, range: `bytes=${from}-${last}` } }),
      scope,
    );

  const response = yield* get(start);
  if (response.status === 416) {
    const head = yield* Effect.flatMap(send({ method: "HEAD", key }), orNone);
    return Option.map(head, (found) => ({ bytes: sizeOf(found) ?? 0, body: Stream.empty }));
  }
  if (Option.isNone(yield* orNone(response))) return Option.none<StoredBytes>();
  const bytes = sizeOf(response);
  if (bytes === undefined || (response.status === 200 && start > 0)) {
    return yield* unavailable("the bucket did not answer with the requested range");
  }
  const past = Math.min(bytes, (range?.end ?? Infinity) + 1);
  const etag = response.header("etag");

  let chunks: AsyncIterator<Buffer, undefined> = response.body[Symbol.asyncIterator]();
  const next = (offset: number): Effect.Effect<Buffer, MediaStoreUnavailable> =>
    MediaStoreUnavailable.attempt(async () => {
      const { done, value } = await chunks.next();
      if (done === true) throw new Error(`the object ended at ${offset}, before its end at ${past}`);
      return value;
    }).pipe(
      Effect.timeoutOrElse({
        duration: readTimeout,
        orElse: () => Effect.fail(unavailable(`no more bytes came for ${readTimeout}`)),
      }),
    );
  const resume = Effect.fnUntraced(function* (offset: number) {
    const rest = yield* get(offset, etag === undefined ? {} : { "if-match": etag });
    if (rest.status !== 206) return yield* yield* unexpected(rest);
    // Some services ignore If-Match.
    if (rest.header("etag") !== etag) {
      return yield* unavailable("the object was replaced while it was read");
    }
    chunks = rest.body[Symbol.asyncIterator]();
    return yield* next(offset);
  });

  const body = Stream.unfold(start, (offset) =>
    offset >= past
      ? Effect.succeed(undefined)
      : next(offset).pipe(
          Effect.catch(() => Effect.retry(resume(offset), { times: maxResumes - 1 })),
          Effect.map((chunk) => {
            const part = chunk.subarray(0, past - offset);
            return [part, offset + part.length] as const;
          }),
        ),
  );
  return Option.some<StoredBytes>({ bytes, body });
});

/** A store in the bucket of the setting. */
export const s3MediaStore = (setting: S3Setting): Layer.Layer<MediaStore> =>
  Layer.effect(
    MediaStore,
    Effect.gen(function* () {
      const send = yield* s3Requests(setting);
      return checkedStore({
        put: Effect.fnUntraced(function* (key, file) {
          const response = yield* send({ method: "PUT", key, file });
          if (response.status !== 200) return yield* yield* unexpected(response);
        }, Effect.scoped),
        read: (key, range) => read(send, key, range),
        remove: Effect.fnUntraced(function* (key) {
          const response = yield* send({ method: "DELETE", key });
          if (response.status !== 204) yield* orNone(response);
        }, Effect.scoped),
      });
    }),
  );
