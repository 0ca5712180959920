import { Effect, Metric } from "effect";
import type { Environment } from "../workspaces/Environment.ts";
import type { FinishedSend, MadeDeliveries } from "./SendBatchesSql.ts";

const lag = Metric.histogram("waypost_send_lag_seconds", {
  description: "Time from a send's minute to its start, in seconds.",
  boundaries: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600],
});

const ended = Metric.counter("waypost_sends_total", {
  description:
    "Sends that workers came to a decision on, by status: running (started), done, skipped, missed.",
  incremental: true,
});

const batches = Metric.counter("waypost_send_batches_total", {
  description: "Batches of sends, by outcome: done, or lost (to a stop, or to another process).",
  incremental: true,
});

const deliveries = Metric.counter("waypost_send_deliveries_total", {
  description: "Deliveries that sends made, by transport and the status they began with.",
  incremental: true,
});

/** Counts sends that came to a status by the hand of this process. */
export const countSend = (status: "running" | "done" | "skipped" | "missed"): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(ended, { status }), 1);

/** Notes how late a send started. */
export const noteLag = (millis: number): Effect.Effect<void> => Metric.update(lag, millis / 1000);

/** Counts a batch of this process and what it made. */
export const countBatch = (
  outcome: "done" | "lost",
  made: ReadonlyArray<MadeDeliveries> = [],
): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(batches, { outcome }), 1),
    Effect.forEach(
      made,
      ({ count, status, transport }) =>
        Metric.update(Metric.withAttributes(deliveries, { transport, status }), count),
      { discard: true },
    ),
  );

/** Counts a send of which every outcome is known, and says so. */
export const tellDone = Effect.fnUntraced(function* (environment: Environment, finished: FinishedSend) {
  const { campaignId, delivered, failed, id, targeted, workspace } = finished;
  yield* countSend("done");
  yield* Effect.logInfo("A send is done").pipe(
    Effect.annotateLogs({
      workspace,
      environment,
      campaign: campaignId,
      send: id,
      targeted,
      delivered,
      failed,
    }),
  );
});
