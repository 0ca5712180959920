import { Effect, Metric } from "effect";
import { counter, knownSeries } from "../../telemetry/KnownSeries.ts";
import { countQuiet } from "../deliveries/QuietMetrics.ts";
import type { FinishedSend } from "./SendBatchesSql.ts";
import type { CreatedDeliveries } from "./SendDeliveriesSql.ts";

const lag = knownSeries(
  Metric.histogram("waypost_send_lag_seconds", {
    description: "Time from a send's scheduled minute to its start, in seconds.",
    boundaries: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600],
  }),
);

/** Counts a send that this process moved to a status. */
export const countSend = counter(
  "waypost_sends_total",
  "Sends that workers decided on, by status: running (started), done, skipped, missed.",
  { status: ["running", "done", "skipped", "missed"] },
);

const countRun = counter(
  "waypost_send_batches_total",
  "Batches of sends, by outcome: done, or lost (the send was stopped, or another process took it).",
  { outcome: ["done", "lost"] },
);

const deliveries = knownSeries(
  Metric.counter("waypost_send_deliveries_total", {
    description: "Deliveries created by sends, by transport and initial status.",
    incremental: true,
  }),
  { transport: ["fcm", "apns", "webpush"], status: ["queued", "held"] },
  { transport: ["inbox"], status: ["delivered", "held"] },
);

/** Records how late a send started. */
export const noteLag = (millis: number): Effect.Effect<void> => Metric.update(lag, millis / 1000);

/** Counts batches that this process ran together, and the deliveries they created. */
export const countBatches = (
  outcome: "done" | "lost",
  number: number,
  created: ReadonlyArray<CreatedDeliveries> = [],
): Effect.Effect<void> =>
  Effect.andThen(
    countRun({ outcome }, number),
    Effect.forEach(
      created,
      ({ count, status, transport }) => {
        const created = Metric.update(Metric.withAttributes(deliveries, { transport, status }), count);
        if (status === "dropped") return countQuiet({ action: "drop" }, count);
        return status === "held" ? Effect.andThen(created, countQuiet({ action: "hold" }, count)) : created;
      },
      { discard: true },
    ),
  );

/** Counts and logs a send that is done: every delivery has an outcome. */
export const logDone = Effect.fnUntraced(function* (finished: FinishedSend) {
  const { campaignId, delivered, environment, failed, id, targeted, workspace } = finished;
  yield* countSend({ status: "done" });
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
