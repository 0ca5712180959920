/** The public address of media files. It needs no token: the address cannot be guessed (contract H3). */
import { Effect, Option, Stream } from "effect";
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http";
import { createHash } from "node:crypto";
import { Settings } from "../config/Settings.ts";
import type { AuthenticatedRequest, Authenticator } from "../http/Authenticators.ts";
import { namesTag } from "../http/EntityTag.ts";
import { RouteTable } from "../http/RouteTable.ts";
import { MethodNotAllowed } from "../wire/ApiError.ts";
import { errorResponse } from "../wire/ErrorResponse.ts";
import { contentDisposition } from "./DownloadName.ts";
import { MediaLibrarySql } from "./MediaLibrarySql.ts";
import { allowsRange, readRange } from "./RangeHeader.ts";
import { ReadyThumbnails } from "./Thumbnails.ts";
import { type ByteRange, isMediaKey, MediaStore } from "./store/MediaStore.ts";

const base = "/media";
const methods = "GET, HEAD, OPTIONS";

/** Lets pages of other sites show and read media files. */
const crossOrigin = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
} as const;

/** Headers of every response with a file. No script in an uploaded file may run. */
const fileHeaders = {
  ...crossOrigin,
  "access-control-expose-headers": "Content-Length, Content-Range, ETag, Accept-Ranges",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "public, max-age=31536000, immutable",
  "accept-ranges": "bytes",
} as const;

/** A file or thumbnail to serve. */
interface Resource {
  readonly bytes: number;
  readonly mimeType: string;
  /** A strong tag. */
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Opens a part; none if the bytes are gone meanwhile. */
  readonly open: (range: ByteRange) => ReturnType<MediaStore["Service"]["read"]>;
}

const empty = (status: number, headers: Readonly<Record<string, string>>) =>
  Option.some(HttpServerResponse.empty({ status, headers }));

/** Responds with 200, 206, 304, 412 or 416 (RFC 9110, 13.2.2), or none if the bytes are gone. */
const serve = Effect.fnUntraced(function* (
  { bytes, etag, headers: own, mimeType, open }: Resource,
  request: HttpServerRequest.HttpServerRequest,
) {
  const headers = { ...fileHeaders, ...own, etag };
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch, "if-range": ifRange, range } = request.headers;
  if (ifMatch !== undefined && !namesTag(ifMatch, etag)) return empty(412, crossOrigin);
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) return empty(304, headers);
  if (request.method === "HEAD") {
    return empty(200, { ...headers, "content-type": mimeType, "content-length": String(bytes) });
  }
  const part = range === undefined || !allowsRange(ifRange, etag) ? null : readRange(range, bytes);
  if (part === "none") return empty(416, { ...crossOrigin, "content-range": `bytes */${bytes}` });
  const { end, start } = part ?? { start: 0, end: bytes - 1 };
  return Option.map(yield* open({ start, end }), ({ body }) =>
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
    ...crossOrigin,
    "access-control-allow-methods": methods,
    "access-control-allow-headers": "Range, If-Range, If-Match, If-None-Match",
    "access-control-max-age": "86400",
  },
});

/** `GET`, `HEAD` and `OPTIONS` of `/media/{key}` and `/media/{key}/thumbnail`. */
export const mediaRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const repository = yield* MediaLibrarySql;
    const store = yield* MediaStore;
    const thumbnails = yield* ReadyThumbnails;
    const { unknown } = yield* RouteTable;

    const file = Effect.fnUntraced(function* (key: string) {
      const row = yield* repository.findByKey(key);
      return Option.map(Option.fromNullOr(row), ({ bytes, mimeType, name }): Resource => ({
        bytes,
        mimeType,
        // The bytes of a key never change.
        etag: `"${key}"`,
        headers: { "content-disposition": contentDisposition(name, mimeType) },
        open: (range) => store.read(key, range),
      }));
    });

    const thumbnail = Effect.fnUntraced(function* (key: string) {
      return Option.map(yield* thumbnails.ready(key), (picture): Resource => ({
        bytes: picture.length,
        mimeType: "image/webp",
        etag: `"${createHash("sha256").update(picture).digest("base64url")}"`,
        headers: { "content-disposition": "inline" },
        open: ({ end, start }) =>
          Effect.succeedSome({
            bytes: picture.length,
            body: Stream.succeed(picture.subarray(start, end + 1)),
          }),
      }));
    });

    const uncached = { ...crossOrigin, "cache-control": "no-store" };
    const missing = errorResponse(unknown, uncached);

    const handle = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest;
      const path = (request.url.split("?", 1)[0] ?? "").slice(base.length + 1);
      const [key = "", derived] = path.split("/");
      if (!isMediaKey(path) || (derived !== undefined && derived !== "thumbnail")) return missing;
      if (request.method === "OPTIONS") return preflight;
      if (request.method !== "GET" && request.method !== "HEAD") {
        return errorResponse(MethodNotAllowed.of(`This path takes only ${methods}.`), { allow: methods });
      }
      const resource = yield* derived === undefined ? file(key) : thumbnail(key);
      if (Option.isNone(resource)) return missing;
      return Option.getOrElse(yield* serve(resource.value, request), () => missing);
    }).pipe(
      Effect.catchTag(["MediaStoreUnavailable", "MediaWorkersUnavailable"], ({ apiError }) =>
        Effect.succeed(errorResponse(apiError, uncached)),
      ),
    );

    yield* router.add("*", `${base}/*`, handle);
  }),
);

const anonymous: AuthenticatedRequest = { provide: (services) => services, headers: {}, log: {} };

/**
 * Accepts every request to the media address: below `/media`, and below the path of WAYPOST_MEDIA_URL on any
 * host. If that path is the root, it accepts only paths that can be a key, so that it hides nothing else.
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
    authenticate: () => Effect.succeed(anonymous),
  } satisfies Authenticator;
});
