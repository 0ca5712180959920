import { Effect } from "effect";
import type { SqlError } from "effect/sql";
import type { DatabaseTime } from "./DatabaseTime.ts";
import { connectionLost, type PooledConnection } from "./PooledConnection.ts";

/** `shared`: for one statement, beside others. `exclusive`: for a transaction. */
export type LeaseKind = "shared" | "exclusive";

/** Makes an effect interruptible again, as `Effect.uninterruptibleMask` gives it. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;

/** A request for a connection that waits until one is granted, or until it has waited too long. */
export class LeaseRequest {
  readonly kind: LeaseKind;
  #granted: PooledConnection | null = null;
  #resume: (result: Effect.Effect<PooledConnection, SqlError.SqlError>) => void = () => undefined;

  constructor(kind: LeaseKind) {
    this.kind = kind;
  }

  /** The connection, also if nobody waits for it any more. */
  get granted(): PooledConnection | null {
    return this.#granted;
  }

  /** Ends the wait with a connection. */
  grant(connection: PooledConnection): void {
    this.#granted = connection;
    this.#resume(Effect.succeed(connection));
  }

  /** Ends the wait with an error. */
  fail(failure: Effect.Effect<never, SqlError.SqlError>): void {
    this.#resume(failure);
  }

  /** Waits at most `limit` milliseconds. `begin` and `end` are called with the wait, `end` at any end. */
  wait(
    limit: number,
    time: DatabaseTime | null,
    begin: () => void,
    end: () => void,
  ): Effect.Effect<PooledConnection, SqlError.SqlError> {
    return Effect.callback((resume) => {
      const seconds = Math.round(limit / 1000);
      const timer = setTimeout(() => {
        this.fail(Effect.fail(connectionLost(`No connection became free within ${seconds} seconds`)));
      }, limit);
      const endTime = time?.start(() => undefined);
      const stop = (): void => {
        clearTimeout(timer);
        endTime?.();
        end();
      };
      this.#resume = (result) => {
        stop();
        resume(result);
      };
      begin();
      return Effect.sync(stop);
    });
  }
}
