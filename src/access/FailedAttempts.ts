import { Clock, Context, Effect, Layer } from "effect";
import { TooManyRequests, Unauthorized } from "../wire/ApiError.ts";
import { addressBlock } from "./AddressBlock.ts";
import { FailedAttemptsSql } from "./FailedAttemptsSql.ts";
import { counted } from "../wire/Text.ts";

/** Unknown tokens that one address may send in a window (contract I2). */
const allowedAttempts = 20;
/** The length of a window. */
export const attemptWindowMillis = 60_000;
const maxCached = 10_000;

/**
 * Throttles clients that guess tokens, over all interfaces, processes and restarts. From the 21st unknown
 * token of an address (of IPv6: a /64) within a minute on, its unknown tokens get 429 until the minute has
 * passed. Valid tokens still work.
 */
export class FailedAttempts extends Context.Service<
  FailedAttempts,
  {
    /** Counts an unknown token and gives its error: 401 `invalid_token`, or 429 after too many. */
    readonly refuse: (
      clientAddress: string,
      message: string,
    ) => Effect.Effect<Unauthorized | TooManyRequests>;
  }
>()("waypost/access/FailedAttempts") {
  static readonly layer = Layer.effect(
    FailedAttempts,
    Effect.gen(function* () {
      const repository = yield* FailedAttemptsSql;
      // A throttled address costs no statement until its window has ended.
      const throttledUntil = new Map<string, number>();

      const throttled = (until: number, now: number) => {
        const seconds = Math.max(1, Math.ceil((until - now) / 1000));
        return TooManyRequests.of(
          "too_many_failed_attempts",
          `Too many unknown tokens came from this address: try again in ${counted(seconds, "second")}.`,
          seconds,
        );
      };

      return FailedAttempts.of({
        refuse: Effect.fnUntraced(function* (clientAddress, message) {
          const address = addressBlock(clientAddress);
          const now = yield* Clock.currentTimeMillis;
          const end = throttledUntil.get(address);
          // A later end is from before the clock was set back.
          if (end !== undefined && end > now && end <= now + 2 * attemptWindowMillis)
            return throttled(end, now);
          const { attempts, windowOpened } = yield* repository.count(address, now, now - attemptWindowMillis);
          if (attempts <= allowedAttempts) return Unauthorized.of("invalid_token", message);
          const until = windowOpened + attemptWindowMillis;
          if (throttledUntil.size >= maxCached) throttledUntil.clear();
          throttledUntil.set(address, until);
          return throttled(until, now);
        }),
      });
    }),
  );
}
