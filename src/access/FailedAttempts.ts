import { Clock, Context, Effect, Layer } from "effect";
import { TooManyRequests, Unauthorized } from "../wire/ApiError.ts";
import { FailedAttemptsRepository } from "./FailedAttemptsRepository.ts";
import { counted } from "../wire/Text.ts";

/** Unknown tokens that one address may send in a window before it is shut out (contract I2). */
const allowedAttempts = 20;
/** How long a window lasts. */
export const attemptWindowMillis = 60_000;
const cachedLookup = 10_000;

/**
 * The throttle of whoever guesses tokens, over all interfaces, processes and restarts: from the 21st unknown token of an
 * address within a minute on, its unknown tokens get 429 until the minute has passed. Good tokens from it go on working.
 */
export class FailedAttempts extends Context.Service<FailedAttempts>()("waypost/access/FailedAttempts", {
  make: Effect.gen(function* () {
    const repository = yield* FailedAttemptsRepository;
    // An address that is shut out costs no statement until its window has passed.
    const shutUntil = new Map<string, number>();

    const shut = (until: number, now: number) => {
      const seconds = Math.max(1, Math.ceil((until - now) / 1000));
      return TooManyRequests.of(
        "too_many_failed_attempts",
        `Too many unknown tokens came from this address: try again in ${counted(seconds, "second")}.`,
        seconds,
      );
    };

    return {
      /** Counts an unknown token and gives the error it gets: 401 `invalid_token`, or 429 once there were too many. */
      refuse: Effect.fnUntraced(function* (address: string, message: string) {
        const now = yield* Clock.currentTimeMillis;
        const known = shutUntil.get(address);
        if (known !== undefined && known > now) return shut(known, now);
        const { attempts, windowOpened } = yield* repository.count(address, now, now - attemptWindowMillis);
        if (attempts <= allowedAttempts) return Unauthorized.of("invalid_token", message);
        const until = windowOpened + attemptWindowMillis;
        if (shutUntil.size >= cachedLookup) shutUntil.clear();
        shutUntil.set(address, until);
        return shut(until, now);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(FailedAttempts, FailedAttempts.make);
}
