/** `GET /sdk/v1/*`: the web SDK, which every process of the role `api` serves (contract BW2). */
import { Effect } from "effect";
import { HttpRouter, HttpServerRequest } from "effect/http";
import manifest from "../../../package.json" with { type: "json" };
import { errorResponse } from "../../wire/ErrorResponse.ts";
import { codedResponse } from "../ContentCoding.ts";
import { readBuiltFile } from "./BuiltFiles.ts";
import { RouteTable } from "../RouteTable.ts";

const contentTypes = {
  "waypost.js": "text/javascript; charset=utf-8",
  "worker.js": "text/javascript; charset=utf-8",
  "inbox.js": "text/javascript; charset=utf-8",
  "integrity.json": "application/json",
};

/** Pages of any origin load the files, and may check their digests. */
const crossOrigin = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};

/** The address that names this version may be kept for ever; another shows a new version within the hour. */
const cacheControl = (url: string): string =>
  new URLSearchParams(url.split("?", 2)[1]).get("v") === manifest.version
    ? "public, max-age=31536000, immutable"
    : "public, max-age=3600";

/** The routes of the files of the web SDK. A file is read at its first request. */
export const sdkFiles = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { unknown } = yield* RouteTable;
    for (const [name, contentType] of Object.entries(contentTypes)) {
      const built = yield* Effect.cached(Effect.sync(() => readBuiltFile(`sdk/${name}`, contentType)));
      const respond = Effect.gen(function* () {
        const { url } = yield* HttpServerRequest.HttpServerRequest;
        const file = yield* built;
        if (file === undefined) return errorResponse(unknown);
        return yield* codedResponse(file, { ...crossOrigin, "cache-control": cacheControl(url) });
      });
      yield* router.add("GET", `/sdk/v1/${name}`, respond);
    }
  }),
);
