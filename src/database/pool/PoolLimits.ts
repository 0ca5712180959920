import { Context } from "effect";

/** Limits of a pool. Times are in milliseconds. */
export interface PoolLimits {
  readonly maxConnections: number;
  /** Connections that transactions may have at the same time. */
  readonly maxTransactions: number;
  /** Statements that share a connection. A slow one holds up the others. */
  readonly maxShared: number;
  /** A connection that nobody used for this long is closed. */
  readonly idleMillis: number;
  /**
   * A free connection that is older is closed, one at a time, because its server process keeps what it has
   * read of the catalog and grows slowly while it is in use.
   */
  readonly lifeMillis: number;
  /** How long a lease may wait for a connection. */
  readonly waitMillis: number;
  /** A connection gets no further statements while one runs for longer than this. */
  readonly slowMillis: number;
  /** A connection is not known to work once a statement has waited this long without a byte. */
  readonly silentMillis: number;
}

/** Maximum connections for statements of a process that runs alone. Each process also has one to listen. */
export const maxStatementConnections = 20;

/** How a process divides its connections for statements. */
export interface Division {
  /** Connections for short statements and transactions. */
  readonly short: number;
  /** Connections for long reads, which no other statement uses. */
  readonly long: number;
  /** Long reads at the same time. */
  readonly reads: number;
  /** Exports at the same time, each with a connection for long reads. */
  readonly exports: number;
}

/** Divides the connections for statements of a process. At least one is for short statements. */
export const divided = (connections: number): Division => {
  const reads = connections < 8 ? 1 : 2;
  // From six on, a workspace leaves a permit to others.
  const exports = Math.max(connections < 6 ? 1 : 2, Math.floor(connections / 5));
  const long = Math.max(1, Math.min(reads + exports, connections - 2));
  return { short: Math.max(1, connections - long), long, reads, exports };
};

/** The division of this process. */
export const ConnectionDivision = Context.Reference<Division>("waypost/database/pool/ConnectionDivision", {
  defaultValue: () => divided(maxStatementConnections),
});
