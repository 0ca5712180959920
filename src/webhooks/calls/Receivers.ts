import { Context, Deferred, Effect, Exit, Layer } from "effect";
import { NotReached } from "../../outgoing/HttpExchange.ts";
import { type OutgoingRequest, OutgoingRequests } from "../../outgoing/OutgoingRequests.ts";
import { type CallResult, callResultOf, callTimeoutMillis, noAnswer } from "./CallResult.ts";

/** Ends a call. Returns its result: that of the answer if its status has arrived. */
export type Expire = () => CallResult;

/** Calls of receivers. */
export class Receivers extends Context.Service<Receivers>()("waypost/webhooks/calls/Receivers", {
  make: Effect.gen(function* () {
    const requests = yield* OutgoingRequests;

    /**
     * Starts a call, which has no timeout of its own, and reports its result once unless it is ended. A
     * connection that was kept for reuse may have been closed by the receiver meanwhile: then the request is
     * sent once more.
     */
    const start = (request: OutgoingRequest, done: (result: CallResult) => void): Expire => {
      let started = requests.start(request, (result) => {
        if (result instanceof NotReached && result.isLost) {
          started = requests.start(request, (second) => done(callResultOf(second)));
        } else done(callResultOf(result));
      });
      return () => {
        const { received } = started;
        started.cancel();
        return received === null ? noAnswer : callResultOf(received);
      };
    };

    return {
      start,
      /** Sends one request within the timeout of a call. */
      send: (request: OutgoingRequest): Effect.Effect<CallResult> =>
        Effect.suspend(() => {
          const answer = Deferred.makeUnsafe<CallResult>();
          const expire = start(request, (result) => Deferred.doneUnsafe(answer, Exit.succeed(result)));
          return Deferred.await(answer).pipe(
            Effect.timeoutOrElse({ duration: callTimeoutMillis, orElse: () => Effect.sync(expire) }),
            Effect.onInterrupt(() => Effect.sync(expire)),
          );
        }),
    };
  }),
}) {
  static readonly layerNoDeps = Layer.effect(Receivers, Receivers.make);
  static readonly layer = Receivers.layerNoDeps.pipe(Layer.provide(OutgoingRequests.layer));
}
