/** `GET /`: what runs here, for a person who opens the address. */
import { Effect } from "effect";
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http";
import { errorResponse } from "../wire/ErrorResponse.ts";
import { RouteTable } from "./RouteTable.ts";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Waypost</title>
    <link rel="icon" href="data:," />
    <style>
      body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; }
      :root { color-scheme: light dark; }
      pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-radius: 0.5rem; }
    </style>
  </head>
  <body>
    <h1>Waypost runs here</h1>
    <p>To begin, create a workspace and a token on the machine of this server:</p>
    <pre>npx waypost workspace create --name Acme
npx waypost token issue --workspace Acme --environment sandbox</pre>
    <p>The executable is called <code>waypost</code> instead of <code>npx waypost</code>.</p>
    <ul>
      <li><a href="/docs">Read and try the API</a></li>
      <li>
        OpenAPI documents: <a href="/openapi/platform.json">platform</a>,
        <a href="/openapi/device.json">device</a>, <a href="/openapi/operator.json">operator</a>
      </li>
      <li><a href="/health/ready">Health</a> and <a href="/metrics">metrics</a></li>
    </ul>
  </body>
</html>
`;

const headers = {
  "cache-control": "no-cache",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Whether a client asks for JSON and not for a page. */
const wantsJson = (accept: string): boolean =>
  accept.includes("application/json") && !accept.includes("text/html");

/** The page at `/`. A client that asks for JSON gets 404: no interface has this path. */
export const startPage = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { unknown } = yield* RouteTable;
    yield* router.add(
      "GET",
      "/",
      Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
        // The router reads a target without a path, such as `*`, as this path.
        request.url.split("?", 1)[0] !== "/" || wantsJson(request.headers["accept"] ?? "")
          ? errorResponse(unknown)
          : HttpServerResponse.html(page).pipe(HttpServerResponse.setHeaders(headers)),
      ),
    );
  }),
);
