import { Cache, Clock, Context, Duration, Effect, Exit, Layer } from "effect";
import { Pool } from "undici";
import { type HostAddress, pinned, PublicHosts } from "../../../notifications/PublicHosts.ts";
import { type Done, HttpExchange, NotReached, type ProviderResponse } from "./HttpExchange.ts";
import { type Cancel, nothingToCancel, type PushOutcome, type Report } from "./PushTransport.ts";

/**
 * Connections to one origin: one for each in-flight push of several busy environments. A push that waits for
 * a connection is sent even if its send is stopped meanwhile (contract L3), and waits for the slow responses
 * of others.
 */
const maxSockets = 1_024;
const maxOrigins = 1_000;
const idleMillis = 30_000;
const connectMillis = 10_000;
/** How long a checked address stays valid. */
const freshSeconds = 30;

/** A request to a push provider. `headers` alternates names and values. */
export interface PushRequest {
  readonly url: URL;
  readonly headers: Array<string>;
  readonly body: string | Buffer;
}

interface Origin {
  readonly pool: Pool;
  addresses: ReadonlyArray<HostAddress>;
  /** When the addresses must be checked again, in epoch milliseconds. */
  staleAt: number;
}

const openOrigin = (origin: string, addresses: ReadonlyArray<HostAddress>): Origin => {
  const opened: Origin = {
    addresses,
    staleAt: 0,
    pool: new Pool(origin, {
      connections: maxSockets,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: idleMillis,
      // The caller has its own timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectMillis, lookup: pinned(() => opened.addresses) },
    }),
  };
  return opened;
};

/**
 * HTTP/1.1 connections to push providers, kept for reuse. Connects only to public addresses, checked at
 * connection time, unless the settings allow private ones (SSRF). Does not follow redirects.
 */
export class PushConnections extends Context.Service<PushConnections>()(
  "waypost/sending/transports/PushConnections",
  {
    make: Effect.gen(function* () {
      const clock = yield* Clock.Clock;
      const hosts = yield* PublicHosts;
      /** The one whose addresses were checked least recently comes first. */
      const origins = new Map<string, Origin>();
      yield* Effect.addFinalizer(() =>
        Effect.promise(() => Promise.all(Array.from(origins.values(), ({ pool }) => pool.destroy()))),
      );

      const checked = yield* Cache.makeWith((host: string) => hosts.addressesOf(host), {
        capacity: maxOrigins,
        timeToLive: (exit) => Duration.seconds(Exit.isSuccess(exit) ? freshSeconds : 1),
      });

      /** The allowed addresses of a host. */
      const addressesOf = (url: URL): Effect.Effect<ReadonlyArray<HostAddress>, NotReached> => {
        const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
        return Effect.mapError(
          Cache.get(checked, host),
          ({ _tag }) =>
            new NotReached({
              host,
              code: _tag === "HostUnknown" ? "ENOTFOUND" : "not public",
              isPermanent: _tag === "HostNotPublic",
            }),
        );
      };

      /** The origin with new addresses. Devices register arbitrary origins, so the oldest are closed. */
      const refreshed = (url: URL, addresses: ReadonlyArray<HostAddress>): Origin => {
        const found = origins.get(url.origin) ?? openOrigin(url.origin, addresses);
        found.addresses = addresses;
        found.staleAt = clock.currentTimeMillisUnsafe() + freshSeconds * 1000;
        origins.delete(url.origin);
        for (const [oldest, { pool }] of origins) {
          if (origins.size < maxOrigins) break;
          origins.delete(oldest);
          void pool.close();
        }
        origins.set(url.origin, found);
        return found;
      };

      const dispatch = ({ pool }: Origin, { body, headers, url }: PushRequest, done: Done): Cancel => {
        const exchange = new HttpExchange(url.host, clock, done);
        pool.dispatch({ method: "POST", path: `${url.pathname}${url.search}`, headers, body }, exchange);
        return () => exchange.cancel();
      };

      /** Sends a request after checking the addresses. It has no timeout: interrupt it to cancel. */
      const post = (request: PushRequest): Effect.Effect<ProviderResponse, NotReached> =>
        Effect.flatMap(addressesOf(request.url), (addresses) =>
          Effect.callback<ProviderResponse, NotReached>((resume) =>
            Effect.sync(
              dispatch(refreshed(request.url, addresses), request, (result) =>
                resume("status" in result ? Effect.succeed(result) : Effect.fail(result)),
              ),
            ),
          ),
        );

      return {
        addressesOf,
        post,

        /** Sends a push, at once if the addresses are fresh. `classify` turns a response into an outcome. */
        send: (
          request: PushRequest,
          classify: (response: ProviderResponse) => PushOutcome,
          report: Report,
        ): Cancel => {
          const origin = origins.get(request.url.origin);
          if (origin !== undefined && clock.currentTimeMillisUnsafe() < origin.staleAt) {
            return dispatch(origin, request, (result) =>
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
