/** Signed requests to one bucket of S3, or of a service with the same protocol. */
import { AwsV4Signer } from "aws4fetch";
import { Clock, Context, Effect, Redacted, Schedule, type Scope } from "effect";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { type Dispatcher, Pool } from "undici";
import type { Settings } from "../../config/Settings.ts";
import { errorCode, messageOf } from "../../database/DurableFiles.ts";
import { type MediaBytes, MediaStoreUnavailable } from "./MediaStore.ts";

/** A bucket and how to reach it. */
export type S3Setting = Extract<Settings["Service"]["mediaStore"], { readonly _tag: "s3" }>;

/** A request before it is signed. */
export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly file?: MediaBytes;
}

/** The head of a response and its unread body. Closing the scope of the request destroys the body. */
export interface S3Response {
  readonly status: number;
  readonly header: (name: "content-length" | "content-range" | "etag") => string | undefined;
  readonly body: Readable;
}

/**
 * How long the bucket may take, in milliseconds, to accept a connection, to accept the next bytes of an
 * upload, and to send the head of its response.
 */
export const IdleTimeoutMillis = Context.Reference("waypost/media/IdleTimeoutMillis", {
  defaultValue: () => 10_000,
});

/** Limit for one attempt up to the head of the response, even if it makes progress. */
const attemptTimeout = "2 minutes";
const maxRetries = 2;
const retryPauses = Schedule.exponential("200 millis", 3).pipe(Schedule.jittered);

/** How long an unused connection stays open. */
const keepAliveMillis = 30_000;

/** The URL of the bucket. At AWS the bucket has its own host, unless a dot in its name breaks TLS. */
export const bucketUrl = ({ bucket, endpoint, region }: S3Setting): string => {
  if (endpoint !== undefined) return `${endpoint}/${bucket}`;
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return bucket.includes(".")
    ? `https://s3.${region}.${domain}/${bucket}`
    : `https://${bucket}.s3.${region}.${domain}`;
};

const timeoutCodes: ReadonlySet<unknown> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT"]);

/** The bucket did not answer in time. This is not retried: the client has waited long enough. */
class TimedOut extends MediaStoreUnavailable {}

const timedOut = (limit: string) =>
  new TimedOut({ problem: `the bucket did not answer: nothing came for ${limit}` });

/** The hex SHA-256 of the bytes to store. The bucket compares it with what it receives. */
const hashOf = (file: MediaBytes | undefined) =>
  MediaStoreUnavailable.attempt(async (signal) => {
    const hash = createHash("sha256");
    if (file === undefined) return hash.digest("hex");
    if ("content" in file) return hash.update(file.content).digest("hex");
    const source = createReadStream(file.path, { signal });
    for await (const chunk of source) hash.update(chunk as Buffer);
    const { bytesRead } = source;
    if (bytesRead !== file.bytes) throw new Error(`it has ${bytesRead} bytes and not ${file.bytes}`);
    return hash.digest("hex");
  }, "the file to store cannot be read: ");

const bodyOf = (file: MediaBytes | undefined): Uint8Array | Readable | null => {
  if (file === undefined) return null;
  return "content" in file ? file.content : createReadStream(file.path);
};

const responseOf = ({ body, headers, statusCode }: Dispatcher.ResponseData): S3Response => ({
  status: statusCode,
  header: (name) => headers[name]?.toString(),
  // A reader gets the error from its next read. Without a reader the error must not end the process.
  body: body.on("error", () => {}),
});

const isRetryable = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/** Sends signed requests over pooled connections, with two retries after temporary failures. */
export const s3Requests = Effect.fnUntraced(function* (setting: S3Setting) {
  const base = bucketUrl(setting);
  const idleTimeout = yield* IdleTimeoutMillis;
  const { credentials, prefix, region } = setting;
  const options: Pool.Options = {
    allowH2: false,
    keepAliveTimeout: keepAliveMillis,
    headersTimeout: idleTimeout,
    connect: { timeout: idleTimeout },
    // A slow reader is not the bucket's fault: S3MediaStore limits each read instead.
    bodyTimeout: 0,
  };
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new Pool(new URL(base).origin, options)),
    (opened) => Effect.promise(() => opened.destroy()),
  );
  /** Signing keys by day. */
  const signingKeys = new Map<string, ArrayBuffer>();

  const sign = Effect.fnUntraced(function* ({ file, headers, key, method }: S3Request, hash: string) {
    const now = new Date(yield* Clock.currentTimeMillis).toISOString();
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const bytes = file === undefined ? 0 : "content" in file ? file.content.length : file.bytes;
    const signer = new AwsV4Signer({
      method,
      url: [base, prefix, key].filter((part) => part !== "").join("/"),
      headers: {
        ...headers,
        "x-amz-content-sha256": hash,
        ...(file && { "content-type": file.mimeType, "content-length": String(bytes) }),
      },
      accessKeyId,
      secretAccessKey: Redacted.value(secretAccessKey),
      ...(sessionToken && { sessionToken: Redacted.value(sessionToken) }),
      service: "s3",
      region,
      cache: signingKeys,
      datetime: now.replace(/[:-]|\.\d{3}/g, ""),
    });
    return yield* Effect.promise(() => signer.sign());
  });

  const failure = (cause: unknown): MediaStoreUnavailable => {
    const code = errorCode(cause);
    if (timeoutCodes.has(code)) return timedOut(`${idleTimeout / 1000} seconds`);
    const problem = `the bucket did not answer: ${messageOf(cause) || String(code)}`;
    return new MediaStoreUnavailable({ problem, cause });
  };

  const attempt = Effect.fnUntraced(function* (request: S3Request, hash: string) {
    const { headers, url } = yield* sign(request, hash);
    const path = url.pathname + url.search;
    const response = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: async (signal) => {
          const body = bodyOf(request.file);
          return responseOf(await pool.request({ method: request.method, path, headers, body, signal }));
        },
        catch: failure,
      }),
      ({ body }) => Effect.sync(() => body.destroy()),
      { interruptible: true },
    );
    return isRetryable(response.status) ? yield* yield* unexpected(response) : response;
  });

  return (request: S3Request): Effect.Effect<S3Response, MediaStoreUnavailable, Scope.Scope> =>
    Effect.flatMap(hashOf(request.file), (hash) =>
      attempt(request, hash).pipe(
        Effect.timeoutOrElse({
          duration: attemptTimeout,
          orElse: () => Effect.fail(timedOut(attemptTimeout)),
        }),
        Effect.retry({
          times: maxRetries,
          schedule: retryPauses,
          while: (error) => !(error instanceof TimedOut),
        }),
        Effect.tapError((error) => Effect.logWarning(error.message)),
      ),
    );
});

/** How much of an error's body is read, in characters. */
const maxErrorLength = 4096;

/** The error code in the body of a response, such as `NoSuchKey`; empty if there is none. */
export const s3ErrorCode = ({ body }: S3Response): Effect.Effect<string> =>
  Effect.promise(async () => {
    let text = "";
    try {
      for await (const chunk of body) {
        text += (chunk as Buffer).toString();
        if (text.length > maxErrorLength) break;
      }
    } catch {
      // A body that breaks off may still hold the code.
    }
    return /<Code>(\w{1,100})<\/Code>/.exec(text)?.[1] ?? "";
  }).pipe(Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.succeed("") }));

/** The error for a response whose status the caller did not expect. */
export const unexpected = (response: S3Response): Effect.Effect<MediaStoreUnavailable> =>
  Effect.map(s3ErrorCode(response), (code) => {
    const named = code === "" ? "" : ` (${code})`;
    return new MediaStoreUnavailable({
      problem: `the bucket answered with status ${response.status}${named}`,
    });
  });
