/** The public address of media files: no token, and no limit but the address itself, which nobody can guess (contract H3). */
import { Effect, Option, Stream } from "effect";
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http";
import { createHash } from "node:crypto";
import { Settings } from "../config/Settings.ts";
import type { AuthenticatedRequest, Authenticator } from "../http/Authenticators.ts";
import { RouteTable } from "../http/RouteTable.ts";
import { namesTag } from "../http/EntityTag.ts";
import { MethodNotAllowed } from "../wire/ApiError.ts";
import { errorResponse } from "../wire/ErrorResponse.ts";
import { contentDisposition } from "./DownloadName.ts";
import { MediaFiles } from "./MediaFiles.ts";
import { type ByteRange, isMediaKey, MediaStore, type MediaStoreAway } from "./store/MediaStore.ts";
import { allowsRange, readRange } from "./RangeHeader.ts";
import { ReadyThumbnails } from "./ReadyThumbnails.ts";

const base = "/media";
const methods = "GET, HEAD, OPTIONS";

/** Pages of other sites may show media files, and read them. */
const shared = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
} as const;

/** Headers of every answer that shows a file: nothing in it may run, whatever somebody made of its bytes. */
const guarded = {
  ...shared,
  "access-control-expose-headers": "Content-Length, Content-Range, ETag, Accept-Ranges",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "public, max-age=31536000, immutable",
  "accept-ranges": "bytes",
} as const;

/** What is there to be sent. */
interface Shown {
  readonly bytes: number;
  readonly mimeType: string;
  /** Strong: these bytes and no others. */
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  /** None: the bytes are gone since they were found. */
  readonly open: (
    range: ByteRange,
  ) => Effect.Effect<Option.Option<Stream.Stream<Uint8Array, MediaStoreAway>>, MediaStoreAway, Scope>;
}

type Scope = Effect.Services<ReturnType<MediaStore["Service"]["read"]>>;

/** A part, the whole, or only word that it has not changed or has no such part. */
const show = Effect.fnUntraced(function* (
  { bytes, etag, headers: own, mimeType, open }: Shown,
  request: HttpServerRequest.HttpServerRequest,
) {
  const headers = { ...guarded, ...own, etag };
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch, "if-range": ifRange, range } = request.headers;
  if (ifMatch !== undefined && !namesTag(ifMatch, etag)) {
    return Option.some(HttpServerResponse.empty({ status: 412, headers: shared }));
  }
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) {
    return Option.some(HttpServerResponse.empty({ status: 304, headers }));
  }
  if (request.method === "HEAD") {
    return Option.some(
      HttpServerResponse.empty({
        status: 200,
        headers: { ...headers, "content-type": mimeType, "content-length": String(bytes) },
      }),
    );
  }
  const part = range === undefined || !allowsRange(ifRange, etag) ? null : readRange(range, bytes);
  if (part === "none") {
    const contentRange = { "content-range": `bytes */${bytes}` };
    return Option.some(HttpServerResponse.empty({ status: 416, headers: { ...shared, ...contentRange } }));
  }
  const { end, start } = part ?? { start: 0, end: bytes - 1 };
  return Option.map(yield* open({ start, end }), (body) =>
    HttpServerResponse.stream(body, {
      status: part === null ? 200 : 206,
      contentType: mimeType,
      contentLength: end - start + 1,
      headers: part === null ? headers : { ...headers, "content-range": `bytes ${start}-${end}/${bytes}` },
    }),
  );
});

const preflight = HttpServerResponse.empty({
  status: 204,
  headers: {
    ...shared,
    "access-control-allow-methods": methods,
    "access-control-allow-headers": "Range, If-Range, If-Match, If-None-Match",
    "access-control-max-age": "86400",
  },
});

/** `GET`, `HEAD` and `OPTIONS` of `/media/{key}` and `/media/{key}/thumbnail`. */
export const mediaRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const files = yield* MediaFiles;
    const store = yield* MediaStore;
    const thumbnails = yield* ReadyThumbnails;
    const { unknown } = yield* RouteTable;

    const file = Effect.fnUntraced(function* (key: string) {
      return Option.map(yield* files.find(key), ({ bytes, mimeType, name }): Shown => ({
        bytes,
        mimeType,
        // A key never names other bytes.
        etag: `"${key}"`,
        headers: { "content-disposition": contentDisposition(name, mimeType) },
        open: (range) =>
          Effect.map(
            store.read(key, range),
            Option.map(({ body }) => body),
          ),
      }));
    });

    const thumbnail = Effect.fnUntraced(function* (key: string) {
      return Option.map(yield* thumbnails.ready(key), ({ content, mimeType }): Shown => ({
        bytes: content.length,
        mimeType,
        etag: `"${createHash("sha256").update(content).digest("base64url")}"`,
        headers: { "content-disposition": "inline" },
        open: ({ end, start }) => Effect.succeedSome(Stream.succeed(content.subarray(start, end + 1))),
      }));
    });

    const answer = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest;
      const path = (request.url.split("?", 1)[0] ?? "").slice(base.length + 1);
      const [key = "", derived] = path.split("/");
      const missing = errorResponse(unknown, { ...shared, "cache-control": "no-store" });
      if (!isMediaKey(path) || (derived !== undefined && derived !== "thumbnail")) return missing;
      if (request.method === "OPTIONS") return preflight;
      if (request.method !== "GET" && request.method !== "HEAD") {
        return errorResponse(MethodNotAllowed.of(`This path takes only ${methods}.`), { allow: methods });
      }
      const shown = yield* derived === undefined ? file(key) : thumbnail(key);
      if (Option.isNone(shown)) return missing;
      return Option.getOrElse(yield* show(shown.value, request), () => missing);
    }).pipe(
      Effect.catchTag(["MediaStoreAway", "MediaReaderAway"], ({ refusal }) =>
        Effect.succeed(errorResponse(refusal, { ...shared, "cache-control": "no-store" })),
      ),
    );

    yield* router.add("*", `${base}/*`, answer);
  }),
);

const everybody: AuthenticatedRequest = { provide: (services) => services, headers: {}, log: {} };

/**
 * The door of the media address lets everybody in. It knows the path of WAYPOST_MEDIA_URL, on whatever host a proxy calls; at the root of
 * a host it takes only what can be a key, so that nothing else is hidden.
 */
export const mediaAuthenticator: Effect.Effect<Authenticator, never, Settings> = Effect.gen(function* () {
  const { mediaUrl } = yield* Settings;
  const own = mediaUrl === undefined ? base : new URL(mediaUrl).pathname.replace(/\/$/, "");
  return {
    name: "media",
    match: ({ request }) => {
      const { url } = request;
      if (url.startsWith(`${base}/`)) return url;
      if (!url.startsWith(`${own}/`)) return null;
      const rest = url.slice(own.length);
      return own !== "" || isMediaKey((rest.split("?", 1)[0] ?? "").slice(1)) ? base + rest : null;
    },
    authenticate: () => Effect.succeed(everybody),
  } satisfies Authenticator;
});
