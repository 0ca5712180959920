import { Context, Effect, Layer } from "effect";

/** Tells background jobs of this process whether it serves requests. */
export class RequestActivity extends Context.Service<RequestActivity>()("waypost/http/RequestActivity", {
  make: Effect.sync(() => {
    let changes = 0;
    return {
      /** Counts the begin or the end of a request. */
      record: (): void => void (changes += 1),
      /** How many requests have begun or ended so far, both added. */
      changes: Effect.sync(() => changes),
    };
  }),
}) {
  static readonly layer = Layer.effect(RequestActivity, RequestActivity.make);
}
