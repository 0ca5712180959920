import { type Effect, Metric } from "effect";

const restarts = Metric.counter("waypost_database_restarts_total", {
  description: "How often the embedded database ended by itself and was started again.",
  incremental: true,
});

const retries = Metric.counter("waypost_database_retries_total", {
  description: "Transactions that were run again because they lost against another one.",
  incremental: true,
});

const waits = Metric.histogram("waypost_database_wait_seconds", {
  description:
    "Time from asking for a transaction to its begin, in seconds: long where no connection is free.",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

const listenDrops = Metric.counter("waypost_database_listen_drops_total", {
  description: "How often the connection that hears of changes by other processes was lost.",
  incremental: true,
});

/** Counts a death of the embedded database. */
export const countRestart: Effect.Effect<void> = Metric.update(restarts, 1);
/** Counts a transaction that is run again. */
export const countRetry: Effect.Effect<void> = Metric.update(retries, 1);
/** Notes how long a transaction waited for its begin. */
export const noteWait = (millis: number): Effect.Effect<void> => Metric.update(waits, millis / 1000);
/** Counts a loss of the connection that listens. */
export const countListenDrop: Effect.Effect<void> = Metric.update(listenDrops, 1);
