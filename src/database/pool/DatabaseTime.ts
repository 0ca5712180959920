import { Context, Effect } from "effect";
import { SqlError } from "effect/sql";

/**
 * The time that one request may wait for the database in all, in milliseconds: a statement and a connection.
 */
const maxRequestMillis = 35_000;

/**
 * The time that a request has waited for the database. Slow bodies and other servers do not count. Waits at
 * the same time count once.
 */
export class DatabaseTime {
  readonly #limit: number;
  #used = 0;
  #waits = 0;
  #since = 0;

  /** The limit is in milliseconds. */
  constructor(limit: number = maxRequestMillis) {
    this.#limit = limit;
  }

  /** Milliseconds that are left. */
  get left(): number {
    return Math.max(0, this.#limit - this.#used - (this.#waits === 0 ? 0 : performance.now() - this.#since));
  }

  /** The error of a request whose time is used up. */
  get exceeded(): SqlError.SqlError {
    const message = `The database took more than ${this.#limit / 1000} seconds for one request`;
    return new SqlError.SqlError({
      reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "query" }),
    });
  }

  /** Starts a wait. The listener is called if the time runs out before the returned function is. */
  start(onExceeded: () => void): () => void {
    const { left } = this;
    if (this.#waits === 0) this.#since = performance.now();
    this.#waits += 1;
    let isEnded = false;
    const end = (): void => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(timer);
      this.#waits -= 1;
      if (this.#waits === 0) this.#used += performance.now() - this.#since;
    };
    const timer = setTimeout(() => {
      end();
      // A timer can fire a fraction of a millisecond early by the clock that measures the waits.
      this.#used = Math.max(this.#used, this.#limit);
      onExceeded();
    }, left);
    return end;
  }
}

/** The time of the current request; null in background jobs, whose statements have only their own limits. */
export const CurrentDatabaseTime = Context.Reference<DatabaseTime | null>(
  "waypost/database/pool/DatabaseTime",
  { defaultValue: () => null },
);

/** Gives a part of a long request a time of its own, so that the request may have any number of parts. */
export const withOwnDatabaseTime = <A, E, R>(part: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.provideService(part, CurrentDatabaseTime, new DatabaseTime()));

/** Bounds a wait by the time that the current request has for the database, and counts it there. */
export const withinDatabaseTime = <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const time = fiber.getRef(CurrentDatabaseTime);
    if (time === null) return wait;
    const end = Effect.callback<never>((resume) => {
      const ended = time.start(() => resume(Effect.die(time.exceeded)));
      return Effect.sync(ended);
    });
    return Effect.raceFirst(wait, end);
  });
