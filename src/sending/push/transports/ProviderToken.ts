import { Clock, Effect, Semaphore } from "effect";
import {
  awaited,
  type GiveUp,
  nothingToGiveUp,
  type Push,
  type PushChannel,
  type PushOutcome,
  type Told,
} from "./PushTransport.ts";

/** A token that a push service wants with every push. */
export interface IssuedToken {
  readonly value: string;
  /** Epoch milliseconds from which on a new one is to be used. */
  readonly staleAt: number;
}

interface HeldToken extends IssuedToken {
  readonly issuedAt: number;
  /** It was issued because the service did not take the one before. */
  readonly replaces: boolean;
  /** The service has taken it. */
  proven: boolean;
}

/** So long a token that replaced a refused one, and was refused too, is not replaced again: the credentials are not good. */
const graceMillis = 30_000;
/** So long nobody asks again for a token that could not be had. */
const failureMillis = 1_000;

/**
 * Sends with a token that is issued once for all who need it, and anew before it is stale. What the service calls unauthorized is tried
 * once more with a new token (contract L6), which is likewise issued once for all who were refused.
 */
export const sendWithToken = (
  issue: Effect.Effect<IssuedToken, PushOutcome>,
  attempt: (push: Push, token: string, tell: (told: Told) => void) => GiveUp,
): Effect.Effect<PushChannel["send"]> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock;
    const oneAtATime = yield* Semaphore.make(1);
    let held: HeldToken | null = null;
    let failed: { readonly outcome: PushOutcome; readonly until: number } | null = null;

    const renew = Effect.fnUntraced(function* (replaces: boolean) {
      const now = yield* Clock.currentTimeMillis;
      if (failed !== null && now < failed.until) return yield* Effect.fail(failed.outcome);
      failed = null;
      const issued = yield* Effect.tapError(issue, (outcome) =>
        Effect.map(Clock.currentTimeMillis, (at) => {
          failed = { outcome, until: at + failureMillis };
        }),
      );
      held = { ...issued, issuedAt: now, replaces, proven: false };
      return held;
    });

    const fresh = Effect.map(Clock.currentTimeMillis, (now) =>
      held !== null && now < held.staleAt ? held : null,
    );
    const current = Effect.flatMap(fresh, (token) =>
      token === null
        ? oneAtATime.withPermits(1)(
            Effect.flatMap(fresh, (made) => (made === null ? renew(false) : Effect.succeed(made))),
          )
        : Effect.succeed(token),
    );

    /** Another token than the refused one; null where another would be refused too. */
    const another = (refused: HeldToken) =>
      oneAtATime.withPermits(1)(
        Effect.gen(function* () {
          if (held !== null && held !== refused) return held;
          const age = (yield* Clock.currentTimeMillis) - refused.issuedAt;
          if (refused.replaces && !refused.proven && age < graceMillis) return null;
          return yield* renew(true);
        }),
      );

    const note = (token: HeldToken, { _tag }: PushOutcome): void => {
      if (_tag !== "Unauthorized" && _tag !== "Unavailable") token.proven = true;
    };

    const attemptWith = (push: Push, token: HeldToken): Effect.Effect<PushOutcome> =>
      Effect.tap(
        awaited((tell) => attempt(push, token.value, tell)),
        (outcome) => Effect.sync(() => note(token, outcome)),
      );

    const judged = (push: Push, token: HeldToken, outcome: PushOutcome): Effect.Effect<PushOutcome> =>
      outcome._tag === "Unauthorized"
        ? Effect.flatMap(another(token), (next) =>
            next === null ? Effect.succeed(outcome) : attemptWith(push, next),
          ).pipe(Effect.catch((failure) => Effect.succeed(failure)))
        : Effect.succeed(outcome);

    const withToken = (push: Push): Effect.Effect<PushOutcome> =>
      Effect.flatMap(current, (token) =>
        Effect.flatMap(attemptWith(push, token), (outcome) => judged(push, token, outcome)),
      ).pipe(Effect.catch((outcome) => Effect.succeed(outcome)));

    return (push, tell) => {
      const token = held;
      if (token === null || clock.currentTimeMillisUnsafe() >= token.staleAt) {
        tell(withToken(push));
        return nothingToGiveUp;
      }
      return attempt(push, token.value, (told) => {
        if (Effect.isEffect(told)) {
          tell(
            Effect.flatMap(told, (outcome) => {
              note(token, outcome);
              return judged(push, token, outcome);
            }),
          );
          return;
        }
        note(token, told);
        tell(told._tag === "Unauthorized" ? judged(push, token, told) : told);
      });
    };
  });
