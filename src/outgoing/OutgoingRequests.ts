import { Clock, Context, Effect, FiberSet, Layer } from "effect";
import { type Done, HttpExchange, type HttpResponse, NotReached } from "./HttpExchange.ts";
import { type HostAddress, PublicHosts } from "./PublicHosts.ts";
import { type OriginPool, publicOrigins } from "./PublicOrigins.ts";

/** A request to an address that a client has named. `headers` alternates names and values. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly headers: Array<string>;
  readonly body: string | Uint8Array;
}

/** A request that was started. */
export interface StartedRequest {
  /** The response so far; null before its head. */
  readonly received: HttpResponse | null;
  /** Ends the request: no result is reported any more. */
  readonly cancel: () => void;
}

/**
 * Requests over HTTP/1.1, by connections that are kept for reuse and lead only to allowed addresses
 * (`PublicOrigins`). They follow no redirects, and have no timeout.
 */
export class OutgoingRequests extends Context.Service<
  OutgoingRequests,
  {
    /** The allowed addresses of the host of a URL. */
    readonly addressesOf: (url: URL) => Effect.Effect<ReadonlyArray<HostAddress>, NotReached>;
    /** Starts a POST. A plain function: an effect for each of 10,000 requests a second would cost more. */
    readonly start: (request: OutgoingRequest, done: Done) => StartedRequest;
    /** Sends a POST. Interruption cancels it. */
    readonly post: (request: OutgoingRequest) => Effect.Effect<HttpResponse, NotReached>;
    /** Requests the head of a response, and closes the connection. Interruption cancels it. */
    readonly head: (
      url: URL,
      method: "HEAD" | "GET",
      headers: Array<string>,
    ) => Effect.Effect<HttpResponse, NotReached>;
  }
>()("waypost/outgoing/OutgoingRequests") {
  static readonly layerNoDeps = Layer.effect(
    OutgoingRequests,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock;
      const origins = yield* publicOrigins;
      const fork = yield* FiberSet.makeRuntime<never, void>();

      const notReached = ({ _tag, host }: { readonly _tag: string; readonly host: string }) => {
        const isPrivate = _tag === "HostNotPublic";
        const code = isPrivate ? "not public" : "ENOTFOUND";
        return new NotReached({ host, code, detail: code, isPrivate });
      };

      const dispatch = (
        url: URL,
        options: { readonly method: "POST" | "HEAD" | "GET"; readonly headers: Array<string> },
        body: string | Uint8Array | null,
        exchange: HttpExchange,
      ): StartedRequest => {
        const send = (pool: OriginPool): void => {
          if (!exchange.isOver)
            pool.dispatch({ ...options, path: `${url.pathname}${url.search}`, body }, exchange);
        };
        const pool = origins.fresh(url);
        if (pool !== undefined) send(pool);
        else {
          const checked = Effect.mapError(origins.check(url), notReached);
          fork(Effect.match(checked, { onFailure: (error) => exchange.report(error), onSuccess: send }));
        }
        return exchange;
      };

      const awaited = (start: (done: Done) => StartedRequest): Effect.Effect<HttpResponse, NotReached> =>
        Effect.callback((resume) => {
          const started = start((result) =>
            resume(result instanceof NotReached ? Effect.fail(result) : Effect.succeed(result)),
          );
          return Effect.sync(() => started.cancel());
        });

      const start = ({ body, headers, url }: OutgoingRequest, done: Done): StartedRequest =>
        dispatch(url, { method: "POST", headers }, body, new HttpExchange(url.host, clock, done));

      return OutgoingRequests.of({
        addressesOf: (url) => Effect.mapError(origins.addressesOf(url), notReached),
        start,
        post: (request) => awaited((done) => start(request, done)),
        head: (url, method, headers) =>
          awaited((done) =>
            dispatch(url, { method, headers }, null, new HttpExchange(url.host, clock, done, true)),
          ),
      });
    }),
  );
  static readonly layer = OutgoingRequests.layerNoDeps.pipe(Layer.provide(PublicHosts.layer));
}
