import { Cache, Clock, Context, Deferred, Duration, Effect, Exit, FiberSet, Layer } from "effect";
import { Pool } from "undici";
import { type HostAddress, pinned, PublicHosts } from "../../notifications/PublicHosts.ts";
import { hostOf } from "../WebhookUrl.ts";
import { CallExchange, type CallResult, type Done, unanswered } from "./CallExchange.ts";

/** The timeout of a call, in milliseconds (contract N4). */
export const callTimeoutMillis = 15_000;
/** The error of a call that timed out. */
export const timedOut = `The receiver gave no answer within ${callTimeoutMillis / 1000} seconds.`;

/** Connections to one origin, which several webhooks may share. */
const maxSockets = 1_024;
const maxOrigins = 2_000;
const idleMillis = 20_000;
const connectMillis = 10_000;
/** How long the checked addresses of a host stay valid. */
const freshSeconds = 30;

/** A request to a receiver. `headers` alternates names and values. */
export interface CallRequest {
  readonly url: URL;
  readonly headers: Array<string>;
  readonly body: string;
}

/** Ends a call: its result is reported at once, with this error if there is no answer yet. */
export type Expire = (error: string) => void;

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
 * HTTP/1.1 connections to receivers, kept for reuse. Connects only to public addresses, checked at connection
 * time, unless the settings allow private ones (SSRF). Does not follow redirects.
 */
export class Receivers extends Context.Service<Receivers>()("waypost/webhooks/calls/Receivers", {
  make: Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const hosts = yield* PublicHosts;
    const fork = yield* FiberSet.makeRuntime<never, void>();
    /** The one whose addresses were checked least recently comes first. */
    const origins = new Map<string, Origin>();
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => Promise.all(Array.from(origins.values(), ({ pool }) => pool.destroy()))),
    );

    const checked = yield* Cache.makeWith((host: string) => hosts.addressesOf(host), {
      capacity: maxOrigins,
      timeToLive: (exit) => Duration.seconds(Exit.isSuccess(exit) ? freshSeconds : 1),
    });

    /** The origin with new addresses. The oldest origins are closed. */
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

    /**
     * Sends a request. A connection that was kept for reuse may have been closed by the receiver meanwhile:
     * then the request is sent once more.
     */
    const dispatch = ({ pool }: Origin, { body, headers, url }: CallRequest, done: Done): Expire => {
      const send = (report: Done): CallExchange => {
        const exchange = new CallExchange(report);
        pool.dispatch({ method: "POST", path: `${url.pathname}${url.search}`, headers, body }, exchange);
        return exchange;
      };
      let current = send((result, isLost) => {
        if (isLost) current = send(done);
        else done(result, false);
      });
      return (error) => current.expire(error);
    };

    /** Starts a request after checking the addresses. */
    const startChecked = (request: CallRequest, done: Done): Expire => {
      let expire: Expire | null = null;
      let isOver = false;
      const finish: Done = (result, isLost) => {
        if (isOver) return;
        isOver = true;
        done(result, isLost);
      };
      fork(
        Effect.match(Cache.get(checked, hostOf(request.url)), {
          onFailure: ({ _tag, host }) =>
            finish(
              unanswered(
                _tag === "HostUnknown"
                  ? `The receiver's host has no address: ${host}.`
                  : `The receiver must be on the public internet: ${host} is not.`,
              ),
              false,
            ),
          onSuccess: (addresses) => {
            if (!isOver) expire = dispatch(refreshed(request.url, addresses), request, finish);
          },
        }),
      );
      return (error) => {
        if (expire === null) finish(unanswered(error), false);
        else expire(error);
      };
    };

    /**
     * Starts a request, which has no timeout of its own. The result is reported once, also after `Expire`.
     */
    const start = (request: CallRequest, done: Done): Expire => {
      const origin = origins.get(request.url.origin);
      const isFresh = origin !== undefined && clock.currentTimeMillisUnsafe() < origin.staleAt;
      return isFresh ? dispatch(origin, request, done) : startChecked(request, done);
    };

    return {
      start,
      /** Sends one request within the timeout of a call. */
      send: (request: CallRequest): Effect.Effect<CallResult> =>
        Effect.suspend(() => {
          const answer = Deferred.makeUnsafe<CallResult>();
          const expire = start(request, (result) => Deferred.doneUnsafe(answer, Exit.succeed(result)));
          const end = Effect.sync(() => expire(timedOut));
          return Effect.raceFirst(
            Deferred.await(answer),
            Effect.andThen(Effect.sleep(callTimeoutMillis), Effect.andThen(end, Deferred.await(answer))),
          ).pipe(Effect.onInterrupt(() => end));
        }),
    };
  }),
}) {
  static readonly layerNoDeps = Layer.effect(Receivers, Receivers.make);
  static readonly layer = Receivers.layerNoDeps.pipe(Layer.provide(PublicHosts.layer));
}
