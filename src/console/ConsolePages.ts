/** `GET /console` and everything below it: one page for all addresses, and the files that it loads. */
import { Effect } from "effect";
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http";
import manifest from "../../package.json" with { type: "json" };
import { Settings } from "../config/Settings.ts";
import { codedResponse } from "../http/ContentCoding.ts";
import { RouteTable } from "../http/RouteTable.ts";
import { errorResponse } from "../wire/ErrorResponse.ts";
import { readConsoleFiles } from "./ConsoleFiles.ts";

const assets = "/console/assets/";

/** The origin that the policy opens for the map's style; null for none. */
const originOf = (mapStyleUrl: string | undefined): string | null =>
  mapStyleUrl === undefined ? null : new URL(mapStyleUrl.replace(/^pmtiles:\/\//, "")).origin;

/** The headers of every response of the console. No script or style is inline. */
export const consoleHeaders = (mapStyleUrl: string | undefined): Readonly<Record<string, string>> => {
  const mapOrigin = originOf(mapStyleUrl);
  const own = mapOrigin === null ? "'self'" : `'self' ${mapOrigin}`;
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      // Icons of the styles and pictures that the map draws have data: and blob: addresses.
      `img-src ${own} data: blob:`,
      "media-src 'self'",
      `connect-src ${own}`,
      "worker-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join("; "),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
};

const notBuilt = `<!doctype html><html lang="en"><title>Waypost</title>
<p>The console is not built in this source tree: run <code>npm run build:console</code>.</p>`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** The page with the settings that its program reads. */
const consolePage = (page: string, mapStyleUrl: string | undefined): string =>
  page
    .replace("%MAP_STYLE_URL%", () => escaped(mapStyleUrl ?? ""))
    .replace("%VERSION%", () => escaped(manifest.version));

/** The routes of the console's page and files. Files are read at their first request. */
export const consolePages = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { mapStyleUrl } = yield* Settings;
    const { unknown } = yield* RouteTable;
    const built = yield* Effect.cached(Effect.sync(readConsoleFiles));
    const headers = consoleHeaders(mapStyleUrl);

    const page = Effect.gen(function* () {
      const files = yield* built;
      const html = files === null ? notBuilt : consolePage(files.page, mapStyleUrl);
      // "Back" does not show what was on the page of somebody who has signed out.
      const common = { ...headers, "cache-control": "no-store" };
      return HttpServerResponse.setHeaders(HttpServerResponse.html(html), common);
    });

    const asset = Effect.gen(function* () {
      const { url } = yield* HttpServerRequest.HttpServerRequest;
      const name = (url.split("?", 1)[0] ?? "").slice(assets.length);
      const file = (yield* built)?.file(name);
      if (file === undefined) return errorResponse(unknown);
      return yield* codedResponse(file, {
        ...headers,
        "cache-control": "public, max-age=31536000, immutable",
      });
    });

    yield* router.add("GET", `${assets}*`, asset);
    // The pattern matches /console too.
    yield* router.add("GET", "/console/*", page);
  }),
);
