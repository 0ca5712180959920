/** The transfer that a connection waits for: the body of a request, or the client to read a response. */
export type TransferDirection = "body" | "response";

/** One reading of a transfer. `bytes` counts all bytes of the connection in this direction. */
export interface TransferReading {
  readonly direction: TransferDirection;
  readonly bytes: number;
}

/** A transfer that is waiting for its client. Instants are milliseconds of a monotonic clock. */
export interface Transfer extends TransferReading {
  readonly startedAt: number;
  /** When it ends if no more bytes move. */
  readonly deadline: number;
}

/** Limits of transfers. Rates are bytes per second, durations milliseconds. */
export interface TransferLimits {
  readonly minRate: number;
  /** How long a transfer may take before its rate counts. */
  readonly graceMillis: number;
  /**
   * How far ahead a burst can pay, by direction. A response needs more than a body: the sockets of both sides
   * hold up to some megabytes, and the kernel reports room in a full one only when a third of it is free.
   */
  readonly creditMillis: Readonly<Record<TransferDirection, number>>;
  /** Transfers of one client that may last longer than the grace at the same time. */
  readonly maxLongPerClient: number;
  /** The longest time from a request to the end of its response. */
  readonly maxMillis: number;
}

export const transferLimits: TransferLimits = {
  minRate: 500,
  graceMillis: 10_000,
  creditMillis: { body: 10_000, response: 25_000 },
  maxLongPerClient: 100,
  maxMillis: Number.POSITIVE_INFINITY,
};

/**
 * Limits of files, which wait in the spool until they are read. The rate is an average over two minutes: with
 * buffers of four megabytes, the kernel reports the progress of a reader at the least rate only every 90
 * seconds.
 */
export const fileLimits: TransferLimits = {
  ...transferLimits,
  minRate: 16_000,
  graceMillis: 120_000,
  creditMillis: { body: 10_000, response: 120_000 },
};

/** Limits of files whose query runs, on a connection to the database. */
export const queryLimits: TransferLimits = { ...fileLimits, maxMillis: 600_000 };

/** The same once the query has waited for the client, because the spool had no room. */
export const fullSpoolLimits: TransferLimits = {
  ...queryLimits,
  minRate: 1_000_000,
  graceMillis: 30_000,
  creditMillis: { body: 10_000, response: 30_000 },
};

/** The transfer after a reading; null when the connection does not wait for its client. */
export const advance = (
  before: Transfer | null,
  reading: TransferReading | null,
  now: number,
  limits: TransferLimits,
): Transfer | null => {
  if (reading === null) return null;
  if (before === null || before.direction !== reading.direction)
    return { ...reading, startedAt: now, deadline: now + limits.graceMillis };
  const paidMillis = ((reading.bytes - before.bytes) / limits.minRate) * 1000;
  const deadline = Math.min(
    before.deadline + paidMillis,
    Math.max(before.deadline, now + limits.creditMillis[reading.direction]),
  );
  return { ...before, bytes: reading.bytes, deadline };
};

/** Whether the client was slower than the least rate for too long. */
export const isTooSlow = ({ deadline }: Transfer, now: number): boolean => now > deadline;

/** Whether the transfer counts towards the bound of its client. */
export const isLong = ({ startedAt }: Transfer, now: number, { graceMillis }: TransferLimits): boolean =>
  now - startedAt > graceMillis;
