/** `GET /`: the way to the console, for a person who opens the address. */
import { Effect } from "effect";
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http";
import { errorResponse } from "../../wire/ErrorResponse.ts";
import { RouteTable } from "../RouteTable.ts";

/** Whether a client asks for JSON and not for a page. */
const wantsJson = (accept: string): boolean =>
  accept.includes("application/json") && !accept.includes("text/html");

/** Redirects `/` to the console. A client that asks for JSON gets 404: no interface has this path. */
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
          : HttpServerResponse.empty({
              status: 302,
              headers: { location: "/console", "cache-control": "no-cache", vary: "accept" },
            }),
      ),
    );
  }),
);
