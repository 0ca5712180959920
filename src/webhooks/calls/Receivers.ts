import { Context, Deferred, Effect, Exit, FiberSet, Layer } from "effect";
import { PublicHosts } from "../../notifications/PublicHosts.ts";
import { type OriginPool, publicOrigins } from "../../notifications/PublicOrigins.ts";
import { CallExchange, type CallResult, type Done, unanswered } from "./CallExchange.ts";

/** The timeout of a call, in milliseconds (contract N4). */
export const callTimeoutMillis = 15_000;
/** The error of a call that timed out. */
export const timedOut = `The receiver gave no answer within ${callTimeoutMillis / 1000} seconds.`;

/** The most origins with open connections. Several webhooks may share one. */
const maxOrigins = 2_000;
const idleMillis = 20_000;

/** A request to a receiver. `headers` alternates names and values. */
export interface CallRequest {
  readonly url: URL;
  readonly headers: Array<string>;
  readonly body: string;
}

/** Ends a call: its result is reported at once, with this error if there is no answer yet. */
export type Expire = (error: string) => void;

/**
 * Calls of receivers, over connections that are kept for reuse and lead only to allowed addresses
 * (`PublicOrigins`). Does not follow redirects.
 */
export class Receivers extends Context.Service<Receivers>()("waypost/webhooks/calls/Receivers", {
  make: Effect.gen(function* () {
    const origins = yield* publicOrigins({ maxOrigins, idleMillis });
    const fork = yield* FiberSet.makeRuntime<never, void>();

    /**
     * Sends a request. A connection that was kept for reuse may have been closed by the receiver meanwhile:
     * then the request is sent once more.
     */
    const dispatch = (pool: OriginPool, { body, headers, url }: CallRequest, done: Done): Expire => {
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
        Effect.match(origins.check(request.url), {
          onFailure: ({ _tag, host }) =>
            finish(
              unanswered(
                _tag === "HostUnknown"
                  ? `The receiver's host has no address: ${host}.`
                  : `The receiver must be on the public internet: ${host} is not.`,
              ),
              false,
            ),
          onSuccess: (pool) => {
            if (!isOver) expire = dispatch(pool, request, finish);
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
      const pool = origins.fresh(request.url);
      return pool === undefined ? startChecked(request, done) : dispatch(pool, request, done);
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
