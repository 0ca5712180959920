import { Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";

const restarts = knownSeries(
  Metric.counter("waypost_database_restarts_total", {
    description: "Restarts of the embedded database after it ended by itself.",
    incremental: true,
  }),
);

const retries = knownSeries(
  Metric.counter("waypost_database_retries_total", {
    description: "Transactions that were retried after a conflict with another one.",
    incremental: true,
  }),
);

const waits = knownSeries(
  Metric.histogram("waypost_database_wait_seconds", {
    description:
      "Time from requesting a transaction to its begin, in seconds. It is long when no connection is free.",
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  }),
);

const longReadWaits = knownSeries(
  Metric.histogram("waypost_database_long_read_wait_seconds", {
    description: "Time that a long read or an export waits for a permit, in seconds. 15 if it is refused.",
    boundaries: [0.001, 0.01, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 14.9],
  }),
);

const listenDrops = knownSeries(
  Metric.counter("waypost_database_listen_drops_total", {
    description: "Losses of the connection that receives the changes of other processes.",
    incremental: true,
  }),
);

const destroyed = knownSeries(
  Metric.counter("waypost_database_connections_destroyed_total", {
    description:
      "Connections that were destroyed because the server did not respond, by reason: silent (it had " +
      "nothing " +
      "to do, or could not be reached) or deadline (the limit of a statement had passed).",
    incremental: true,
  }),
  { reason: ["silent", "deadline"] },
);

/** Shows the counter of destroyed connections at 0: an alert sees an increase only after that. */
export const startCounting: Effect.Effect<void> = Effect.forEach(
  ["silent", "deadline"] as const,
  (reason) => Metric.update(Metric.withAttributes(destroyed, { reason }), 0),
  { discard: true },
);
/** Counts a connection that was destroyed because the server did not respond. */
export const countDestroyed = (reason: "silent" | "deadline"): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(destroyed, { reason }), 1);
/** Counts a restart of the embedded database. */
export const countRestart: Effect.Effect<void> = Metric.update(restarts, 1);
/** Counts a retry of a transaction. */
export const countRetry: Effect.Effect<void> = Metric.update(retries, 1);
/** Records how long a transaction waited to begin. */
export const recordWait = (millis: number): Effect.Effect<void> => Metric.update(waits, millis / 1000);
/** Records how long a long read or an export waited for a permit. */
export const recordLongReadWait = (millis: number): Effect.Effect<void> =>
  Metric.update(longReadWaits, millis / 1000);
/** Counts a loss of the listening connection. */
export const countListenDrop: Effect.Effect<void> = Metric.update(listenDrops, 1);
