import type { PgConnection } from "@effect/sql-pg";
import { Effect, type Exit } from "effect";
import type { SqlError } from "effect/sql";
import type { DatabaseTime } from "./DatabaseTime.ts";

/** The result of a statement. */
export type StatementExit = Exit.Exit<PgConnection.Result, SqlError.SqlError>;

/** A statement that was sent. It runs to its end, whether anyone waits for it or not. */
export class RunningStatement {
  readonly startedAt = performance.now();
  /** When its connection is destroyed, because the server itself would have ended the statement before. */
  readonly endsAt: number;
  #exit: StatementExit | null = null;
  readonly #observers = new Set<(exit: StatementExit) => void>();

  /** The limit is in milliseconds. */
  constructor(limit: number) {
    this.endsAt = this.startedAt + limit;
  }

  /** The result; null while the statement runs. */
  get exit(): StatementExit | null {
    return this.#exit;
  }

  /** Sets the result. */
  settle(exit: StatementExit): void {
    this.#exit = exit;
    for (const observer of this.#observers) observer(exit);
    this.#observers.clear();
  }

  /** Calls the observer with the result. Observers are called in the order in which they were added. */
  observe(observer: (exit: StatementExit) => void): void {
    if (this.#exit === null) this.#observers.add(observer);
    else observer(this.#exit);
  }

  /** Waits for the result, at most as long as the request has time for the database. */
  await(time: DatabaseTime | null): Effect.Effect<PgConnection.Result, SqlError.SqlError> {
    return Effect.callback((resume) => {
      if (this.#exit !== null) return resume(this.#exit);
      const end = time?.start(() => {
        this.#observers.delete(observer);
        resume(Effect.fail(time.exceeded));
      });
      const observer = (exit: StatementExit): void => {
        end?.();
        resume(exit);
      };
      this.#observers.add(observer);
      return Effect.sync(() => {
        end?.();
        this.#observers.delete(observer);
      });
    });
  }
}
