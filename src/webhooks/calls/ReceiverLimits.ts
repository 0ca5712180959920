import * as State from "./ReceiverState.ts";

/** The most calls that a process has in flight. */
const maxInFlight = 2_048;
/** How many of these may be to webhooks whose last call failed, so that those that answer have room. */
const maxSuspect = 1_024;

/** The in-flight limits of the webhooks that a process calls, by name, and of all together. */
export class ReceiverLimits {
  readonly #states = new Map<string, State.ReceiverState>();
  #inFlight = 0;
  #suspect = 0;

  #of(name: string): State.ReceiverState {
    return this.#states.get(name) ?? State.initialState;
  }

  #set(name: string, next: State.ReceiverState): void {
    const before = this.#of(name);
    this.#inFlight += next.inFlight - before.inFlight;
    this.#suspect += suspectOf(next) - suspectOf(before);
    this.#states.set(name, next);
  }

  /** How many more calls can be started. */
  room(name: string, isBatch: boolean, now: number): number {
    const state = this.#of(name);
    const rest = Math.min(
      maxInFlight - this.#inFlight,
      state.failures > 0 ? maxSuspect - this.#suspect : maxInFlight,
    );
    return Math.max(0, Math.min(rest, State.roomOf(state, isBatch, now)));
  }

  /** Calls were started. */
  started(name: string, count: number): void {
    this.#set(name, State.started(this.#of(name), count));
  }

  /** A call has ended. */
  ended(name: string, statusCode: number | null, isSuccess: boolean, now: number): void {
    this.#set(name, State.ended(this.#of(name), State.verdictOf(statusCode, isSuccess), now));
  }

  /** Forgets webhooks without calls in flight that have not failed, when there are many. */
  forgetIdle(): void {
    if (this.#states.size < 10_000) return;
    for (const [name, { failures, inFlight }] of this.#states) {
      if (inFlight === 0 && failures === 0) this.#states.delete(name);
    }
  }
}

const suspectOf = ({ failures, inFlight }: State.ReceiverState): number => (failures > 0 ? inFlight : 0);
