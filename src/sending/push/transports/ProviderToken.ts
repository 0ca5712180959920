import { Clock, Effect, Semaphore } from "effect";
import {
  awaitOutcome,
  type Cancel,
  nothingToCancel,
  type Push,
  type PushChannel,
  type PushOutcome,
  type Report,
} from "./PushTransport.ts";

/** A token that a push provider requires with every push. */
export interface IssuedToken {
  readonly value: string;
  /** When to use a new one, in epoch milliseconds. */
  readonly staleAt: number;
}

interface CachedToken extends IssuedToken {
  readonly issuedAt: number;
  /** It was issued because the provider refused the previous one. */
  readonly isReplacement: boolean;
  /** The provider has accepted it. */
  isProven: boolean;
}

type Refusal = Extract<PushOutcome, { readonly _tag: "Unauthorized" }>;

/** How long a replacement that was refused too is not replaced again: the credentials are bad. */
const graceMillis = 30_000;
/** How long a failure to get a token is cached. */
const failureMillis = 1_000;

/**
 * Sends with a cached token, issued once for all concurrent pushes and replaced before it is stale. A push
 * that the provider calls unauthorized is retried once with a new token (contract L6), again issued once for
 * all of them.
 */
export const sendWithToken = (
  issue: Effect.Effect<IssuedToken, PushOutcome>,
  attempt: (push: Push, token: string, report: Report) => Cancel,
): Effect.Effect<PushChannel["send"]> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const mutex = yield* Semaphore.make(1);
    let cached: CachedToken | null = null;
    /** Until then, refusals of a platform renew no token: a new one was refused too. */
    let isOfPlatformUntil = 0;
    let failed: { readonly outcome: PushOutcome; readonly until: number } | null = null;

    const renew = Effect.fnUntraced(function* (isReplacement: boolean) {
      const now = yield* Clock.currentTimeMillis;
      if (failed !== null && now < failed.until) return yield* Effect.fail(failed.outcome);
      failed = null;
      const issued = yield* Effect.tapError(issue, (outcome) =>
        Effect.map(Clock.currentTimeMillis, (at) => {
          failed = { outcome, until: at + failureMillis };
        }),
      );
      cached = { ...issued, issuedAt: now, isReplacement, isProven: false };
      return cached;
    });

    const fresh = Effect.map(Clock.currentTimeMillis, (now) =>
      cached !== null && now < cached.staleAt ? cached : null,
    );
    const freshOr = Effect.fnUntraced(function* (other: Effect.Effect<CachedToken, PushOutcome>) {
      return (yield* fresh) ?? (yield* other);
    });
    const current = freshOr(mutex.withPermits(1)(freshOr(renew(false))));

    /** A token other than the refused one; null if another would be refused too. */
    const replacementOf = (refused: CachedToken) =>
      mutex.withPermits(1)(
        Effect.gen(function* () {
          if (cached !== null && cached !== refused) return cached;
          const age = (yield* Clock.currentTimeMillis) - refused.issuedAt;
          if (refused.isReplacement && !refused.isProven && age < graceMillis) return null;
          return yield* renew(true);
        }),
      );

    const note = (token: CachedToken, { _tag }: PushOutcome): void => {
      if (_tag !== "Unauthorized" && _tag !== "Unavailable") token.isProven = true;
    };

    const attemptWith = (push: Push, token: CachedToken): Effect.Effect<PushOutcome> =>
      Effect.tap(
        awaitOutcome((report) => attempt(push, token.value, report)),
        (outcome) => Effect.sync(() => note(token, outcome)),
      );

    const retry = Effect.fnUntraced(
      function* (push: Push, token: CachedToken, refusal: Refusal) {
        const { isOfPlatform = false } = refusal;
        if (isOfPlatform && clock.currentTimeMillisUnsafe() < isOfPlatformUntil) return refusal;
        const next = yield* replacementOf(token);
        const outcome = next === null ? refusal : yield* attemptWith(push, next);
        if (outcome._tag === "Unauthorized" && outcome.isOfPlatform === true)
          isOfPlatformUntil = clock.currentTimeMillisUnsafe() + graceMillis;
        return outcome;
      },
      Effect.catch(Effect.succeed<PushOutcome>),
    );

    const retryIfUnauthorized = (
      push: Push,
      token: CachedToken,
      outcome: PushOutcome,
    ): Effect.Effect<PushOutcome> =>
      outcome._tag === "Unauthorized" ? retry(push, token, outcome) : Effect.succeed(outcome);

    const sendWithCurrent = (push: Push): Effect.Effect<PushOutcome> =>
      Effect.flatMap(current, (token) =>
        Effect.flatMap(attemptWith(push, token), (outcome) => retryIfUnauthorized(push, token, outcome)),
      ).pipe(Effect.catch((outcome) => Effect.succeed(outcome)));

    return (push, report) => {
      const token = cached;
      if (token === null || clock.currentTimeMillisUnsafe() >= token.staleAt) {
        report(sendWithCurrent(push));
        return nothingToCancel;
      }
      return attempt(push, token.value, (result) => {
        if (Effect.isEffect(result)) {
          report(
            Effect.flatMap(result, (outcome) => {
              note(token, outcome);
              return retryIfUnauthorized(push, token, outcome);
            }),
          );
          return;
        }
        note(token, result);
        report(result._tag === "Unauthorized" ? retryIfUnauthorized(push, token, result) : result);
      });
    };
  });
