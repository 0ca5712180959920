import { ConcurrencyLimits } from "../../outgoing/ConcurrencyLimits.ts";
import { maxLimit, roomOf, type Verdict } from "../../outgoing/ConcurrencyRule.ts";
import type { PushOutcome } from "./transports/PushTransport.ts";

const bounds = { initial: 16, min: 16 };
/** The longest back-off in milliseconds, whatever a service asks for: others may share its name. */
const maxBackOffMillis = 60_000;
const maxServices = 10_000;

const verdictOf = (outcome: PushOutcome): Verdict => {
  if (outcome._tag !== "Unavailable") return "success";
  return outcome.retryAfter === null ? "failed" : "throttled";
};

/**
 * In-flight limits of the push services behind one channel, by name, so that a slow one does not hold up the
 * others. Instants are epoch milliseconds.
 */
export class ProviderConcurrency {
  readonly #limits = new ConcurrencyLimits(bounds);
  /** When the last postponed push of a service is due again. */
  readonly #queuedUntil = new Map<string, number>();
  readonly #isLimited: boolean;

  /** Unlimited for a channel with one service: the limit of its queue partition is enough. */
  constructor(isLimited: boolean) {
    this.#isLimited = isLimited;
  }

  /** Decides on the pushes of one batch: returns null for one to send now, else when it is due again. */
  limiter(now: number): (name: string) => number | null {
    const allowed = new Map<string, number>();
    return (name) => {
      const state = this.#limits.of(name);
      const count = allowed.get(name) ?? 0;
      if (this.#isLimited ? count < roomOf(state, now) : now >= state.pausedUntil) {
        allowed.set(name, count + 1);
        return null;
      }
      // Postponed pushes return as fast as the service could take them at the highest limit.
      const { callMillis, pausedUntil } = state;
      const queuedUntil = (this.#queuedUntil.get(name) ?? 0) + callMillis / maxLimit;
      const next = Math.min(Math.max(pausedUntil, now + callMillis, queuedUntil), now + maxBackOffMillis);
      if (this.#queuedUntil.size >= maxServices) this.#queuedUntil.clear();
      this.#queuedUntil.set(name, next);
      return Math.ceil(next);
    };
  }

  started(name: string): void {
    this.#limits.started(name, 1);
  }

  /** A push ended after so many milliseconds; without an outcome if it was abandoned. */
  ended(name: string, outcome: PushOutcome | null, millis: number, now: number): void {
    const verdict = this.#isLimited && outcome !== null ? verdictOf(outcome) : null;
    this.#limits.ended(name, verdict, millis, now);
  }

  /** Backs off from a service for so many milliseconds. Returns until when the whole channel pauses, or 0. */
  backOff(name: string, now: number, millis: number): number {
    this.#limits.backOff(name, now + Math.min(maxBackOffMillis, millis));
    return this.#isLimited ? 0 : this.#limits.of(name).pausedUntil;
  }
}
