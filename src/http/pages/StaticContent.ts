import { Effect } from "effect";
import { HttpServerRequest, HttpServerResponse } from "effect/http";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { codedResponse } from "../ContentCoding.ts";
import { namesTag } from "../EntityTag.ts";

const pack = async (text: string) => ({
  etag: `"${createHash("sha256").update(text).digest("base64url")}"`,
  gzip: await promisify(gzip)(text),
});

/**
 * A response whose content does not change while the process runs. `make` runs on the first request; only the
 * compressed content is kept. Clients revalidate by ETag, so a newer version shows at once.
 */
export const staticContent = (contentType: string, make: Effect.Effect<string>) =>
  Effect.map(Effect.cached(Effect.flatMap(make, (text) => Effect.promise(() => pack(text)))), (packed) =>
    Effect.gen(function* () {
      const { headers: sent } = yield* HttpServerRequest.HttpServerRequest;
      const { etag, gzip } = yield* packed;
      const headers = { etag, "cache-control": "no-cache", vary: "accept-encoding" };
      return namesTag(sent["if-none-match"] ?? "", etag)
        ? HttpServerResponse.empty({ status: 304, headers })
        : yield* codedResponse({ contentType, gzip }, headers);
    }),
  );
