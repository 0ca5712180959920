import { AwsV4Signer } from "aws4fetch";
import { Clock, Context, Effect, Redacted, Schedule, type Scope } from "effect";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from "node:http";
import { Agent as SecureAgent, request as requestSecure } from "node:https";
import { pipeline } from "node:stream";
import type { Settings } from "../../config/Settings.ts";
import { type MediaBytes, MediaStoreAway } from "./MediaStore.ts";

/** Which bucket, and how it is reached. */
export type S3Setting = Extract<Settings["Service"]["mediaStore"], { readonly _tag: "s3" }>;

/** What a request carries beside its signature. */
export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly file?: MediaBytes;
}

/** The head of an answer, with a body that nobody has read yet. */
export interface S3Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** Longest time without a byte on the way to the head of an answer, in milliseconds. */
export const QuietMillis = Context.Reference("waypost/media/QuietMillis", { defaultValue: () => 10_000 });

/** Longest time for one try, whatever trickles. */
const tryLimit = "2 minutes";
const retries = 2;

const pauses = Schedule.exponential("200 millis", 3).pipe(Schedule.jittered);

const nothingHash = createHash("sha256").digest("hex");

/** The address of the bucket: below the endpoint where one is given, else a host of its own, whose name TLS takes without dots only. */
export const bucketAddress = ({ bucket, endpoint, region }: S3Setting): string => {
  if (endpoint !== undefined) return `${endpoint}/${bucket}`;
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return bucket.includes(".")
    ? `https://s3.${region}.${domain}/${bucket}`
    : `https://${bucket}.s3.${region}.${domain}`;
};

/** A try that failed, and whether the next one may do better. */
interface Failed {
  readonly away: MediaStoreAway;
  readonly again: boolean;
}

const unreachable = (cause: Error): MediaStoreAway =>
  new MediaStoreAway({ problem: `the bucket gave no answer: ${cause.message}`, cause });

/** Who waited too long does not wait once more. */
const tooSlow = (time: string): Failed => ({
  away: unreachable(new Error(`nothing came for ${time}`)),
  again: false,
});

/** SHA-256 of what is to be stored: the store compares it with what arrives. */
const hashOf = (file: MediaBytes): Effect.Effect<string, MediaStoreAway> =>
  Effect.tryPromise({
    try: async (signal) => {
      const hash = createHash("sha256");
      if ("content" in file) return hash.update(file.content).digest("hex");
      let bytes = 0;
      for await (const chunk of createReadStream(file.path, { signal })) {
        bytes += (chunk as Buffer).length;
        hash.update(chunk as Buffer);
      }
      if (bytes !== file.bytes) throw new Error(`it has ${bytes} bytes and not ${file.bytes}`);
      return hash.digest("hex");
    },
    catch: (cause) =>
      new MediaStoreAway({
        problem: `the file to be put cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause,
      }),
  });

const worthAnotherTry = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/** Sends signed requests to one bucket, on connections that are kept. A try that failed in a way that passes is followed by two more. */
export const s3Requests = (setting: S3Setting) =>
  Effect.gen(function* () {
    const base = bucketAddress(setting);
    const quietMillis = yield* QuietMillis;
    const { credentials, prefix, region } = setting;
    const isSecure = base.startsWith("https:");
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => (isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true }))),
      (made) => Effect.sync(() => made.destroy()),
    );
    // The key that signs is derived once a day.
    const derived = new Map<string, ArrayBuffer>();

    const sign = Effect.fnUntraced(function* (request: S3Request, hash: string) {
      const now = new Date(yield* Clock.currentTimeMillis).toISOString();
      const { file, headers, key, method } = request;
      const signer = new AwsV4Signer({
        method,
        url: [base, prefix, key].filter((part) => part !== "").join("/"),
        headers: {
          ...headers,
          "x-amz-content-sha256": hash,
          ...(file === undefined ? {} : { "content-type": file.mimeType }),
        },
        accessKeyId: credentials.accessKeyId,
        secretAccessKey: Redacted.value(credentials.secretAccessKey),
        ...(credentials.sessionToken === undefined
          ? {}
          : { sessionToken: Redacted.value(credentials.sessionToken) }),
        service: "s3",
        region,
        cache: derived,
        datetime: now.replace(/[:-]|\.\d{3}/g, ""),
      });
      return yield* Effect.promise(() => signer.sign());
    });

    const tryOnce = (request: S3Request, hash: string): Effect.Effect<S3Answer, Failed, Scope.Scope> =>
      Effect.flatMap(sign(request, hash), ({ headers, url }) =>
        Effect.acquireRelease(
          Effect.callback<IncomingMessage, Failed>((resume) => {
            const { file, method } = request;
            const bytes = file === undefined ? 0 : "content" in file ? file.content.length : file.bytes;
            const outgoing = (isSecure ? requestSecure : requestPlain)(url, {
              method,
              agent,
              headers: {
                ...Object.fromEntries(headers),
                ...(file === undefined ? {} : { "content-length": String(bytes) }),
              },
            });
            outgoing.setTimeout(quietMillis, () => {
              resume(Effect.fail(tooSlow(`${quietMillis / 1000} seconds`)));
              outgoing.destroy();
            });
            outgoing.on("error", (error) => resume(Effect.fail({ away: unreachable(error), again: true })));
            outgoing.once("response", (response) => {
              // From here on who reads says how long is too long: a slow reader is no fault of the store.
              outgoing.setTimeout(0);
              response.on("error", () => {});
              resume(Effect.succeed(response));
            });
            if (file === undefined) outgoing.end();
            else if ("content" in file) outgoing.end(file.content);
            else pipeline(createReadStream(file.path), outgoing, () => {});
            return Effect.sync(() => outgoing.destroy());
          }),
          (response) => Effect.sync(() => (response.complete ? undefined : response.destroy())),
          { interruptible: true },
        ),
      ).pipe(
        Effect.timeoutOrElse({
          duration: tryLimit,
          orElse: () => Effect.fail(tooSlow(tryLimit)),
        }),
        Effect.map((body) => ({ status: body.statusCode ?? 0, headers: body.headers, body })),
      );

    return Effect.fnUntraced(function* (request: S3Request) {
      const hash = request.file === undefined ? nothingHash : yield* hashOf(request.file);
      return yield* tryOnce(request, hash).pipe(
        Effect.flatMap((answer) =>
          worthAnotherTry(answer.status)
            ? Effect.flatMap(refusalOf(answer), (away) => Effect.fail<Failed>({ away, again: true }))
            : Effect.succeed(answer),
        ),
        Effect.retry({ times: retries, schedule: pauses, while: ({ again }) => again }),
        Effect.mapError(({ away }) => away),
        Effect.tapError((away) => Effect.logWarning(away.message)),
      );
    });
  });

const mostOfAnError = 4096;

/** The name that S3 gives to what is wrong, such as `NoSuchKey`; empty where it gives none. */
export const errorCode = (answer: S3Answer): Effect.Effect<string> =>
  Effect.promise(async () => {
    let text = "";
    try {
      for await (const chunk of answer.body) {
        text += (chunk as Buffer).toString();
        if (text.length > mostOfAnError) break;
      }
    } catch {
      // What arrived says it, or nothing does.
    }
    return /<Code>(\w{1,100})<\/Code>/.exec(text)?.[1] ?? "";
  }).pipe(Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.succeed("") }));

/** What to say of an answer that is none of those that were expected. */
export const refusalOf = (answer: S3Answer): Effect.Effect<MediaStoreAway> =>
  Effect.map(errorCode(answer), (code) => {
    const named = code === "" ? "" : ` (${code})`;
    return new MediaStoreAway({ problem: `the bucket answered with status ${answer.status}${named}` });
  });
