import { Effect } from "effect";
import { HttpServerRequest, HttpServerResponse } from "effect/http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** A content in the codings in which it is stored. */
export interface CodedContent {
  readonly contentType: string;
  readonly gzip: Uint8Array;
  readonly brotli?: Uint8Array;
}

/** Whether an `Accept-Encoding` names a coding, with a weight above 0. */
export const acceptsCoding = (header: string | undefined, coding: "br" | "gzip"): boolean =>
  (header ?? "").split(",").some((each) => {
    const [name, weight] = each
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/);
    return name === coding && Number(weight ?? 1) > 0;
  });

/** A response in the best coding that the request accepts: brotli, gzip, or unpacked. */
export const codedResponse = Effect.fnUntraced(function* (
  { brotli, contentType, gzip }: CodedContent,
  headers: Readonly<Record<string, string>>,
) {
  const { headers: sent } = yield* HttpServerRequest.HttpServerRequest;
  const accepted = sent["accept-encoding"];
  const respond = (bytes: Uint8Array, coding: Readonly<Record<string, string>>) =>
    HttpServerResponse.uint8Array(bytes, {
      contentType,
      headers: { ...headers, vary: "accept-encoding", ...coding },
    });
  if (brotli !== undefined && acceptsCoding(accepted, "br"))
    return respond(brotli, { "content-encoding": "br" });
  if (acceptsCoding(accepted, "gzip")) return respond(gzip, { "content-encoding": "gzip" });
  return respond(yield* Effect.promise(() => promisify(gunzip)(gzip)), {});
});
