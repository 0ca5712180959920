import { Context, Effect, Layer } from "effect";

/** Tells background jobs of this process whether it serves requests. */
export class RequestActivity extends Context.Service<
  RequestActivity,
  {
    /** Counts the begin or the end of a request. */
    readonly record: () => void;
    /** How many requests have begun or ended so far, both added. */
    readonly changes: Effect.Effect<number>;
  }
>()("waypost/http/RequestActivity") {
  static readonly layer = Layer.sync(RequestActivity, () => {
    let changes = 0;
    return { record: () => void (changes += 1), changes: Effect.sync(() => changes) };
  });
}
