import { Effect } from "effect";
import { HttpServerRequest, HttpServerResponse } from "effect/http";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { namesTag } from "../EntityTag.ts";
import { acceptsGzip } from "../CompressedText.ts";

interface Packed {
  readonly etag: string;
  readonly bytes: Uint8Array;
}

const pack = async (text: string): Promise<Packed> => ({
  etag: `"${createHash("sha256").update(text).digest("base64url")}"`,
  bytes: await promisify(gzip)(text),
});

/**
 * A response whose content does not change while the process runs. `make` runs on the first request; only the
 * compressed content is kept. Clients revalidate by ETag, so a newer version shows at once.
 */
export const staticContent = (contentType: string, make: Effect.Effect<string>) =>
  Effect.map(Effect.cached(Effect.flatMap(make, (text) => Effect.promise(() => pack(text)))), (packed) =>
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest;
      const { bytes, etag } = yield* packed;
      const common = { etag, "cache-control": "no-cache", vary: "accept-encoding" };
      if (namesTag(headers["if-none-match"] ?? "", etag))
        return HttpServerResponse.empty({ status: 304, headers: common });
      return acceptsGzip(headers["accept-encoding"])
        ? HttpServerResponse.uint8Array(bytes, {
            contentType,
            headers: { ...common, "content-encoding": "gzip" },
          })
        : HttpServerResponse.uint8Array(yield* Effect.promise(() => promisify(gunzip)(bytes)), {
            contentType,
            headers: common,
          });
    }),
  );
