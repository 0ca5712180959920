import { Effect, Layer, Option, Scope, Stream } from "effect";
import { type ByteRange, isMediaKey, MediaStore, MediaStoreAway, type StoredBytes } from "./MediaStore.ts";
import { counted } from "./MediaStoreMetrics.ts";
import { errorCode, refusalOf, type S3Answer, s3Requests, type S3Setting } from "./S3Requests.ts";

/** Longest wait for the next bytes of an object; time in which nobody asks for them does not count. */
const pieceLimit = "20 seconds";
/** How often a reader whose connection broke goes on where it was, without having got a byte in between. */
const mostResumes = 3;

type Send = Effect.Success<ReturnType<typeof s3Requests>>;

const isThere = ({ status }: S3Answer): boolean => status === 200 || status === 206;

/** None: no such object. Everything else that is not its bytes is a failure, also a bucket that is not there. */
const orNone = Effect.fnUntraced(function* (answer: S3Answer) {
  if (isThere(answer)) return Option.some(answer);
  if (answer.status !== 404) return yield* yield* refusalOf(answer);
  const code = yield* errorCode(answer);
  if (code === "" || code === "NoSuchKey") return Option.none<S3Answer>();
  return yield* new MediaStoreAway({ problem: `the bucket answered with status 404 (${code})` });
});

const sizeOf = ({ headers, status }: S3Answer): number | undefined => {
  const text = status === 206 ? headers["content-range"]?.split("/")[1] : headers["content-length"];
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
};

const read = Effect.fnUntraced(function* (send: Send, key: string, range: ByteRange | undefined) {
  if (!isMediaKey(key)) return Option.none<StoredBytes>();
  const scope = yield* Effect.scope;
  const start = range?.start ?? 0;
  const last = range === undefined || !Number.isFinite(range.end) ? "" : String(range.end);
  const ask = (from: number, headers: Readonly<Record<string, string>> = {}) =>
    Scope.provide(
      send({ method: "GET", key, headers: { ...headers, range: `bytes=${from}-${last}` } }),
      scope,
    );

  const answer = yield* ask(start);
  if (answer.status === 416) {
    const head = yield* Effect.flatMap(send({ method: "HEAD", key }), orNone);
    return Option.map(head, (found) => ({ bytes: sizeOf(found) ?? 0, body: Stream.empty }));
  }
  const found = yield* orNone(answer);
  if (Option.isNone(found)) return Option.none<StoredBytes>();
  const bytes = sizeOf(answer);
  if (bytes === undefined || (answer.status === 200 && start > 0)) {
    return yield* new MediaStoreAway({ problem: "the bucket answered without the range that was asked for" });
  }
  const past = Math.min(bytes, (range?.end ?? Infinity) + 1);
  const unchanged = answer.headers.etag === undefined ? {} : { "if-match": answer.headers.etag };

  let pieces: AsyncIterator<Buffer, undefined> = answer.body[Symbol.asyncIterator]();
  const next = (at: number): Effect.Effect<Buffer, MediaStoreAway> =>
    Effect.tryPromise({
      try: async () => {
        const { done, value } = await pieces.next();
        if (done === true) throw new Error(`the object ended at ${at}, before its end at ${past}`);
        return value;
      },
      catch: (cause) =>
        new MediaStoreAway({ problem: cause instanceof Error ? cause.message : String(cause), cause }),
    }).pipe(
      Effect.timeoutOrElse({
        duration: pieceLimit,
        orElse: () => Effect.fail(new MediaStoreAway({ problem: `no more bytes came for ${pieceLimit}` })),
      }),
    );
  const goOn = Effect.fnUntraced(function* (at: number) {
    const again = yield* ask(at, unchanged);
    if (again.status !== 206) return yield* yield* refusalOf(again);
    // Not every store that speaks as S3 does minds the condition.
    if (again.headers.etag !== answer.headers.etag) {
      return yield* new MediaStoreAway({ problem: "the object was replaced while it was read" });
    }
    pieces = again.body[Symbol.asyncIterator]();
    return yield* next(at);
  });

  const body = Stream.unfold(start, (at) =>
    at >= past
      ? Effect.succeed(undefined)
      : next(at).pipe(
          Effect.catch(() => Effect.retry(goOn(at), { times: mostResumes - 1 })),
          Effect.map((piece) => {
            const part = piece.subarray(0, past - at);
            return [part, at + part.length] as const;
          }),
        ),
  );
  return Option.some<StoredBytes>({ bytes, body });
});

/** Media in a bucket of S3, or of a service that speaks as S3 does. */
export const s3MediaStore = (setting: S3Setting): Layer.Layer<MediaStore> =>
  Layer.effect(
    MediaStore,
    Effect.gen(function* () {
      const send = yield* s3Requests(setting);
      return counted(
        MediaStore.of({
          put: Effect.fnUntraced(function* (key, file) {
            if (!isMediaKey(key)) return yield* Effect.die(new Error("Not a media key"));
            const answer = yield* send({ method: "PUT", key, file });
            if (answer.status !== 200) return yield* yield* refusalOf(answer);
            answer.body.resume();
          }, Effect.scoped),
          read: (key, range) => read(send, key, range),
          remove: Effect.fnUntraced(function* (key) {
            if (!isMediaKey(key)) return;
            const answer = yield* send({ method: "DELETE", key });
            if (answer.status !== 204) yield* orNone(answer);
            answer.body.resume();
          }, Effect.scoped),
        }),
      );
    }),
  );
