import { Effect, Exit } from "effect";
import type { SqlError } from "effect/sql";
import type { DatabaseTime } from "./DatabaseTime.ts";
import { connectionLost, type PooledConnection } from "./PooledConnection.ts";

/** `shared`: for one statement, beside others. `exclusive`: for a transaction. */
export type LeaseKind = "shared" | "exclusive";

/** Limits of a pool. Times are in milliseconds. */
export interface PoolLimits {
  readonly maxConnections: number;
  /** Statements that share a connection. A slow one holds up the others. */
  readonly maxShared: number;
  /** A connection that nobody used for this long is closed. */
  readonly idleMillis: number;
  /** How long a lease may wait for a connection. */
  readonly waitMillis: number;
  /** A connection gets no further statements once one has waited this long without a byte. */
  readonly silentMillis: number;
}

interface Waiter {
  readonly kind: LeaseKind;
  granted: PooledConnection | null;
  resume: (result: Effect.Effect<void, SqlError.SqlError>) => void;
}

/** Makes an effect interruptible again, as `Effect.uninterruptibleMask` gives it. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;

/** Pause before a connection is opened again while others still work. */
const reopenMillis = 250;

/**
 * Connections that single statements share and transactions own. Leases are granted in the order of their
 * requests, as connections become free or are opened. If no connection can be opened and none works, all
 * that wait fail at once: waiting longer would not help them.
 */
export class ConnectionPool {
  readonly #open: Effect.Effect<PooledConnection, SqlError.SqlError>;
  readonly #limits: PoolLimits;
  /** The first ones are used most, so that the last ones become idle and are closed. */
  readonly #connections: Array<PooledConnection> = [];
  readonly #waiters = new Set<Waiter>();
  #opening = 0;
  #reopensAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #isDispatching = false;
  #needsDispatch = false;

  constructor(open: Effect.Effect<PooledConnection, SqlError.SqlError>, limits: PoolLimits) {
    this.#open = open;
    this.#limits = limits;
  }

  /** The open connections. */
  get connections(): ReadonlyArray<PooledConnection> {
    return this.#connections;
  }

  /**
   * Waits for a connection. Call it uninterruptible: `restore` covers the wait alone, so that an
   * interruption loses no lease. Every lease must be released.
   */
  lease(
    kind: LeaseKind,
    time: DatabaseTime | null,
    restore: Restore,
  ): Effect.Effect<PooledConnection, SqlError.SqlError> {
    return Effect.suspend(() => {
      const connection = this.#isWaiting(kind) ? undefined : this.#take(kind);
      if (connection !== undefined) return Effect.succeed(connection);
      const waiter: Waiter = { kind, granted: null, resume: () => undefined };
      const wait = Effect.onError(restore(this.#wait(waiter, time)), () =>
        Effect.sync(() => {
          if (waiter.granted !== null) this.release(waiter.granted);
        }),
      );
      return Effect.map(wait, () => waiter.granted as PooledConnection);
    });
  }

  /** Ends a lease. */
  release(connection: PooledConnection): void {
    connection.leases -= 1;
    connection.isExclusive = false;
    if (connection.leases === 0) connection.idleSince = performance.now();
    this.#dispatch();
  }

  /** Closes connections that nobody used for a while, and opens those that leases wait for. */
  maintain(now: number): void {
    for (const connection of [...this.#connections].reverse()) {
      if (connection.leases > 0 || connection.isBusy) continue;
      if (now - connection.idleSince < this.#limits.idleMillis) continue;
      this.#remove(connection);
      Effect.runFork(connection.close);
    }
    this.#dispatch();
  }

  /** Closes all connections, and fails all that wait. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#isClosed = true;
    this.#failWaiters(connectionLost("The pool of connections is closed"));
    const open = this.#connections.splice(0);
    return Effect.forEach(open, (connection) => connection.close, { discard: true });
  });

  #isWaiting(kind: LeaseKind): boolean {
    for (const waiter of this.#waiters) if (waiter.kind === kind) return true;
    return false;
  }

  #wait(waiter: Waiter, time: DatabaseTime | null): Effect.Effect<void, SqlError.SqlError> {
    return Effect.callback((resume) => {
      const { waitMillis } = this.#limits;
      const limit = Math.min(waitMillis, time?.left ?? waitMillis);
      const message = `No connection became free within ${Math.round(limit / 1000)} seconds`;
      const fail = (): void => this.#fail(waiter, Effect.fail(connectionLost(message)));
      const timer = setTimeout(fail, limit);
      const end = time?.start(() => undefined);
      const stop = (): void => {
        clearTimeout(timer);
        end?.();
      };
      waiter.resume = (result) => {
        stop();
        resume(result);
      };
      this.#waiters.add(waiter);
      this.#dispatch();
      return Effect.sync(() => {
        stop();
        this.#waiters.delete(waiter);
        // A transaction that no longer waits claims no connection.
        this.#dispatch();
      });
    });
  }

  /** Leases a connection if one is free. */
  #take(kind: LeaseKind): PooledConnection | undefined {
    const connection = kind === "shared" ? this.#forStatement() : this.#forTransaction();
    if (connection === undefined) return undefined;
    connection.leases += 1;
    connection.isExclusive = kind === "exclusive";
    return connection;
  }

  #forStatement(): PooledConnection | undefined {
    return this.#unclaimed().find(
      (connection) =>
        !connection.isExclusive &&
        !connection.isClosed &&
        connection.leases < this.#limits.maxShared &&
        !this.#isSilent(connection),
    );
  }

  #forTransaction(): PooledConnection | undefined {
    return this.#connections.findLast(
      (connection) => connection.leases === 0 && !connection.isBusy && !connection.isClosed,
    );
  }

  /**
   * The connections that take further statements: all but one for each transaction that waits. One is left
   * for statements, except in a pool of one.
   */
  #unclaimed(): ReadonlyArray<PooledConnection> {
    const transactions = this.#waitingTransactions();
    if (transactions === 0) return this.#connections;
    const open = this.#connections.filter(({ isExclusive }) => !isExclusive);
    return open.slice(0, open.length - Math.min(transactions, Math.max(1, open.length - 1)));
  }

  #waitingTransactions(): number {
    let count = 0;
    for (const { kind } of this.#waiters) if (kind === "exclusive") count += 1;
    return count;
  }

  #isSilent(connection: PooledConnection): boolean {
    return connection.isBusy && connection.silence(performance.now()) > this.#limits.silentMillis;
  }

  /** Grants free connections to those that wait, and opens connections for the others. */
  #dispatch(): void {
    // A granted lease can end at once and call this again. Recursion would be as deep as the queue is long.
    this.#needsDispatch = true;
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    while (this.#needsDispatch) {
      this.#needsDispatch = false;
      this.#grant();
    }
    this.#isDispatching = false;
    if (this.#waiters.size > 0) this.#openMissing();
  }

  #grant(): void {
    const blocked = new Set<LeaseKind>();
    for (const waiter of this.#waiters) {
      if (blocked.has(waiter.kind)) continue;
      const connection = this.#take(waiter.kind);
      if (connection === undefined) {
        blocked.add(waiter.kind);
        continue;
      }
      this.#waiters.delete(waiter);
      waiter.granted = connection;
      waiter.resume(Effect.void);
    }
  }

  #openMissing(): void {
    if (this.#isClosed || performance.now() < this.#reopensAt) return;
    const transactions = this.#waitingTransactions();
    const statements = Math.ceil((this.#waiters.size - transactions) / this.#limits.maxShared);
    const missing = transactions + statements - this.#opening;
    const room = this.#limits.maxConnections - this.#connections.length - this.#opening;
    for (let count = Math.min(missing, room); count > 0; count--) this.#openOne();
  }

  #openOne(): void {
    this.#opening += 1;
    Effect.runFork(this.#open).addObserver((exit) => {
      this.#opening -= 1;
      if (Exit.isSuccess(exit)) this.#add(exit.value);
      else this.#openFailed(Effect.failCause(exit.cause));
    });
  }

  #add(connection: PooledConnection): void {
    if (this.#isClosed) return void Effect.runFork(connection.close);
    connection.onClose(() => {
      this.#remove(connection);
      this.#dispatch();
    });
    this.#connections.push(connection);
    this.#dispatch();
  }

  #openFailed(failure: Effect.Effect<never, SqlError.SqlError>): void {
    const hasWorking = this.#connections.some((each) => !each.isClosed && !this.#isSilent(each));
    if (hasWorking) this.#reopensAt = performance.now() + reopenMillis;
    else for (const waiter of this.#waiters) this.#fail(waiter, failure);
  }

  #failWaiters(error: SqlError.SqlError): void {
    for (const waiter of this.#waiters) this.#fail(waiter, Effect.fail(error));
  }

  #fail(waiter: Waiter, failure: Effect.Effect<never, SqlError.SqlError>): void {
    if (this.#waiters.delete(waiter)) waiter.resume(failure);
  }

  #remove(connection: PooledConnection): void {
    const index = this.#connections.indexOf(connection);
    if (index >= 0) this.#connections.splice(index, 1);
  }
}
