import { Clock, Context, Effect, Layer } from "effect";
import { type HostAddress, PublicHosts } from "../../../notifications/PublicHosts.ts";
import { type OriginPool, publicOrigins } from "../../../notifications/PublicOrigins.ts";
import { type Done, HttpExchange, NotReached, type ProviderResponse } from "./HttpExchange.ts";
import { type Cancel, nothingToCancel, type PushOutcome, type Report } from "./PushTransport.ts";

/** Devices register arbitrary origins, so the number of open ones is limited. */
const maxOrigins = 1_000;
const idleMillis = 30_000;

/** A request to a push provider. `headers` alternates names and values. */
export interface PushRequest {
  readonly url: URL;
  readonly headers: Array<string>;
  readonly body: string | Uint8Array;
}

/**
 * Requests to push providers over HTTP/1.1, over connections that are kept for reuse and lead only to allowed
 * addresses (`PublicOrigins`). Does not follow redirects.
 */
export class PushConnections extends Context.Service<PushConnections>()(
  "waypost/sending/transports/PushConnections",
  {
    make: Effect.gen(function* () {
      const clock = yield* Clock.Clock;
      const origins = yield* publicOrigins({ maxOrigins, idleMillis });

      const notReached = ({ _tag, host }: { readonly _tag: string; readonly host: string }) =>
        new NotReached({
          host,
          code: _tag === "HostUnknown" ? "ENOTFOUND" : "not public",
          isPermanent: _tag === "HostNotPublic",
        });

      const dispatch = (pool: OriginPool, { body, headers, url }: PushRequest, done: Done): Cancel => {
        const exchange = new HttpExchange(url.host, clock, done);
        pool.dispatch({ method: "POST", path: `${url.pathname}${url.search}`, headers, body }, exchange);
        return () => exchange.cancel();
      };

      /** Sends a request after checking the addresses. It has no timeout: interrupt it to cancel. */
      const post = (request: PushRequest): Effect.Effect<ProviderResponse, NotReached> =>
        Effect.flatMap(Effect.mapError(origins.check(request.url), notReached), (pool) =>
          Effect.callback<ProviderResponse, NotReached>((resume) =>
            Effect.sync(
              dispatch(pool, request, (result) =>
                resume("status" in result ? Effect.succeed(result) : Effect.fail(result)),
              ),
            ),
          ),
        );

      return {
        /** The allowed addresses of the host of a URL. */
        addressesOf: (url: URL): Effect.Effect<ReadonlyArray<HostAddress>, NotReached> =>
          Effect.mapError(origins.addressesOf(url), notReached),
        post,

        /** Sends a push, at once if the addresses are fresh. `classify` turns a response into an outcome. */
        send: (
          request: PushRequest,
          classify: (response: ProviderResponse) => PushOutcome,
          report: Report,
        ): Cancel => {
          const pool = origins.fresh(request.url);
          if (pool !== undefined) {
            return dispatch(pool, request, (result) =>
              report("status" in result ? classify(result) : result.outcome),
            );
          }
          report(Effect.match(post(request), { onFailure: ({ outcome }) => outcome, onSuccess: classify }));
          return nothingToCancel;
        },
      };
    }),
  },
) {
  static readonly layerNoDeps = Layer.effect(PushConnections, PushConnections.make);
  static readonly layer = PushConnections.layerNoDeps.pipe(Layer.provide(PublicHosts.layer));
}
