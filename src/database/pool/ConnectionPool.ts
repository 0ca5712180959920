import { Effect, Exit, type Fiber } from "effect";
import type { SqlError } from "effect/sql";
import type { DatabaseTime } from "./DatabaseTime.ts";
import { type LeaseKind, LeaseRequest, type Restore } from "./LeaseRequest.ts";
import { connectionLost, type PooledConnection } from "./PooledConnection.ts";
import type { PoolLimits } from "./PoolLimits.ts";

/** Runs an effect in the background, until the pool is closed. */
export type Run = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>;

/**
 * An attempt that takes longer may be lost, so another one is made beside it: the network may work again by
 * then. In milliseconds.
 */
const hopefulMillis = 1000;

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
  readonly #run: Run;
  /** The first ones are used most, so that the last ones become idle and are closed. */
  readonly #connections: Array<PooledConnection> = [];
  readonly #requests = new Set<LeaseRequest>();
  /** When the attempts to open a connection began. */
  readonly #opening = new Set<{ readonly since: number }>();
  #reopensAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #isDispatching = false;
  #needsDispatch = false;

  constructor(open: Effect.Effect<PooledConnection, SqlError.SqlError>, limits: PoolLimits, run: Run) {
    this.#open = open;
    this.#limits = limits;
    this.#run = run;
  }

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
      const connection = this.#waiting(kind) > 0 ? undefined : this.#take(kind);
      if (connection !== undefined) return Effect.succeed(connection);
      const request = new LeaseRequest(kind);
      const begin = (): void => {
        this.#requests.add(request);
        this.#dispatch();
      };
      const end = (): void => {
        // A transaction that no longer waits claims no connection.
        if (this.#requests.delete(request)) this.#dispatch();
      };
      const wait = request.wait(Math.min(this.#limits.waitMillis, time?.left ?? Infinity), time, begin, end);
      return Effect.onError(restore(wait), () =>
        Effect.sync(() => {
          if (request.granted !== null) this.release(request.granted);
        }),
      );
    });
  }

  /** Ends a lease. */
  release(connection: PooledConnection): void {
    connection.leases -= 1;
    connection.isExclusive = false;
    if (connection.leases === 0) connection.idleSince = performance.now();
    this.#dispatch();
  }

  /** Closes connections that nobody used for a while, and an old one; opens those that leases wait for. */
  maintain(now: number): void {
    const free = this.#connections.filter(({ isBusy, leases }) => leases === 0 && !isBusy).reverse();
    const old = free.find(({ openedAt }) => now - openedAt >= this.#limits.lifeMillis);
    for (const connection of free) {
      if (connection !== old && now - connection.idleSince < this.#limits.idleMillis) continue;
      this.#remove(connection);
      this.#run(connection.close);
    }
    this.#dispatch();
  }

  /** Destroys the idle connections that no statement has used since the instant, when another fell silent. */
  destroyIdle(since: number, message: string): void {
    for (const connection of this.#connections.slice())
      if (connection.leases === 0 && !connection.isBusy && connection.heardAt < since)
        connection.destroy(message);
  }

  /** Closes all connections, and fails all that wait. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#isClosed = true;
    this.#failAll(Effect.fail(connectionLost("The pool of connections is closed")));
    return Effect.forEach(this.#connections.splice(0), ({ close }) => close, { discard: true });
  });

  #waiting(kind: LeaseKind): number {
    let count = 0;
    for (const request of this.#requests) if (request.kind === kind) count += 1;
    return count;
  }

  /** Leases a connection if one is free. */
  #take(kind: LeaseKind): PooledConnection | undefined {
    const connection = kind === "shared" ? this.#forStatement() : this.#forTransaction();
    if (connection === undefined) return undefined;
    connection.leases += 1;
    connection.isExclusive = kind === "exclusive";
    return connection;
  }

  /** An idle connection, else one whose statements end soon. */
  #forStatement(): PooledConnection | undefined {
    let shared: PooledConnection | undefined;
    for (const connection of this.#unclaimed()) {
      if (connection.isExclusive || connection.isClosed) continue;
      if (connection.leases === 0 && !connection.isBusy) return connection;
      const hasRoom = connection.leases < this.#limits.maxShared;
      if (hasRoom && connection.runningFor(performance.now()) <= this.#limits.slowMillis)
        shared ??= connection;
    }
    return shared;
  }

  #forTransaction(): PooledConnection | undefined {
    if (this.#roomForTransactions() === 0) return undefined;
    return this.#connections.findLast(
      (connection) => connection.leases === 0 && !connection.isBusy && !connection.isClosed,
    );
  }

  /** How many more transactions can have a connection. */
  #roomForTransactions(): number {
    return this.#limits.maxTransactions - this.#connections.filter((each) => each.isExclusive).length;
  }

  /**
   * The connections that take further statements. If none can be opened, the last ones take none, so that
   * they become free for the transactions that wait.
   */
  #unclaimed(): ReadonlyArray<PooledConnection> {
    if (this.#requests.size === 0) return this.#connections;
    const claimed = this.#expected("exclusive") - (this.#limits.maxConnections - this.#connections.length);
    if (claimed <= 0) return this.#connections;
    const open = this.#connections.filter(({ isExclusive }) => !isExclusive);
    return open.slice(0, Math.max(0, open.length - claimed));
  }

  /** How many connections the requests of a kind need. */
  #expected(kind: LeaseKind): number {
    const waiting = this.#waiting(kind);
    return kind === "shared"
      ? Math.ceil(waiting / this.#limits.maxShared)
      : Math.min(waiting, this.#roomForTransactions());
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
    if (this.#requests.size > 0) this.#openMissing();
  }

  #grant(): void {
    const blocked = new Set<LeaseKind>();
    for (const request of this.#requests) {
      if (blocked.has(request.kind)) continue;
      const connection = this.#take(request.kind);
      if (connection === undefined) {
        blocked.add(request.kind);
        continue;
      }
      this.#requests.delete(request);
      request.grant(connection);
    }
  }

  #openMissing(): void {
    const now = performance.now();
    if (this.#isClosed || now < this.#reopensAt) return;
    const hopeful = [...this.#opening].filter(({ since }) => now - since < hopefulMillis).length;
    const missing = this.#expected("exclusive") + this.#expected("shared") - hopeful;
    const room = this.#limits.maxConnections - this.#connections.length - this.#opening.size;
    for (let count = Math.min(missing, room); count > 0; count--) this.#openOne();
  }

  #openOne(): void {
    const attempt = { since: performance.now() };
    this.#opening.add(attempt);
    this.#run(this.#open).addObserver((exit) => {
      this.#opening.delete(attempt);
      if (Exit.isSuccess(exit)) this.#add(exit.value);
      else this.#openFailed(Effect.failCause(exit.cause));
    });
  }

  #add(connection: PooledConnection): void {
    if (this.#isClosed) return void this.#run(connection.close);
    connection.onClose(() => {
      this.#remove(connection);
      this.#dispatch();
    });
    this.#connections.push(connection);
    this.#dispatch();
  }

  #openFailed(failure: Effect.Effect<never, SqlError.SqlError>): void {
    const now = performance.now();
    const { silentMillis } = this.#limits;
    const hasWorking = this.#connections.some((each) => !each.isClosed && each.silence(now) <= silentMillis);
    if (hasWorking) this.#reopensAt = performance.now() + reopenMillis;
    else this.#failAll(failure);
  }

  #failAll(failure: Effect.Effect<never, SqlError.SqlError>): void {
    const requests = [...this.#requests];
    this.#requests.clear();
    for (const request of requests) request.fail(failure);
  }

  #remove(connection: PooledConnection): void {
    const index = this.#connections.indexOf(connection);
    if (index >= 0) this.#connections.splice(index, 1);
  }
}
