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

/** Maximum connections for statements of a process that runs alone. Each process also has one to listen. */
export const maxStatementConnections = 20;
