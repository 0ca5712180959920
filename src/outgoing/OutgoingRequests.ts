import { Clock, Context, Effect, FiberSet, Layer } from "effect";
import { type Done, HttpExchange, type HttpResponse, NotReached } from "./HttpExchange.ts";
import { type HostAddress, PublicHosts } from "./PublicHosts.ts";
import { type OriginPool, publicOrigins } from "./PublicOrigins.ts";

/** A request to an address that a client has named. `headers` alternates names and values. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly headers: Array<string>;
  readonly body: string | Uint8Array | null;
  /** `POST` unless it is given. These end with the head of the response, and close the connection. */
  readonly method?: "HEAD" | "GET";
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
    /** Starts a request. A plain function: an effect for each of 10,000 a second would cost more. */
    readonly start: (request: OutgoingRequest, done: Done) => StartedRequest;
    /** Sends a request. Interruption cancels it. */
    readonly send: (request: OutgoingRequest) => Effect.Effect<HttpResponse, NotReached>;
  }
>()("waypost/outgoing/OutgoingRequests") {
  static readonly layerNoDeps = Layer.effect(
    OutgoingRequests,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock;
      const origins = yield* publicOrigins;
      const fork = yield* FiberSet.makeRuntime<never, void>();

      const start = ({ body, headers, method, url }: OutgoingRequest, done: Done): StartedRequest => {
        const exchange = new HttpExchange(url.host, clock, done, method !== undefined);
        const path = `${url.pathname}${url.search}`;
        const dispatch = (pool: OriginPool): void => {
          if (!exchange.isOver) pool.dispatch({ method: method ?? "POST", path, headers, body }, exchange);
        };
        const pool = origins.fresh(url);
        if (pool !== undefined) dispatch(pool);
        else {
          const onFailure = (error: NotReached) => exchange.report(error);
          fork(Effect.match(origins.check(url), { onFailure, onSuccess: dispatch }));
        }
        return exchange;
      };

      return OutgoingRequests.of({
        addressesOf: origins.addressesOf,
        start,
        send: (request) =>
          Effect.callback((resume) => {
            const started = start(request, (result) =>
              resume(result instanceof NotReached ? Effect.fail(result) : Effect.succeed(result)),
            );
            return Effect.sync(() => started.cancel());
          }),
      });
    }),
  );
  static readonly layer = OutgoingRequests.layerNoDeps.pipe(Layer.provide(PublicHosts.layer));
}
