import { Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";

const attempts = knownSeries(
  Metric.counter("waypost_webhook_attempts_total", {
    description:
      "Calls of webhooks, by outcome: done, failed (to be repeated), given_up (the last attempt failed).",
    incremental: true,
  }),
  { outcome: ["done", "failed", "given_up"] },
);

const events = knownSeries(
  Metric.counter("waypost_webhook_events_total", {
    description: "Events that became calls of webhooks.",
    incremental: true,
  }),
);

const seconds = knownSeries(
  Metric.histogram("waypost_webhook_call_seconds", {
    description: "Duration of calls of webhooks in seconds.",
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  }),
);

const disabled = knownSeries(
  Metric.counter("waypost_webhooks_disabled_total", {
    description:
      "Webhooks that were disabled by their receiver's answers, by reason: gone (410), failing (5 days).",
    incremental: true,
  }),
  { reason: ["gone", "failing"] },
);

const expired = knownSeries(
  Metric.counter("waypost_webhook_events_expired_total", {
    description: "Events that were not sent within 7 days and are dropped, and those whose rows are gone.",
    incremental: true,
  }),
);

const waiting = Metric.gauge("waypost_webhook_events_waiting", {
  description: "Events of active webhooks that wait to be sent, counted up to 100,000 recordings.",
});

const retrying = Metric.gauge("waypost_webhook_calls_waiting", {
  description: "Calls of active webhooks that are made or repeated, counted up to 100,000.",
});

const oldest = Metric.gauge("waypost_webhook_oldest_seconds", {
  description: "Age of the oldest event that waits for its first call to an active webhook, in seconds.",
});

/** Counts one call and its duration. */
export const countCall = (outcome: "done" | "failed" | "given_up", millis: number): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(attempts, { outcome }), 1),
    Metric.update(seconds, millis / 1000),
  );

/** Counts events that became calls. */
export const countEvents = (count: number): Effect.Effect<void> => Metric.update(events, count);

/** Counts a webhook that was disabled. */
export const countDisabled = (reason: "gone" | "failing"): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(disabled, { reason }), 1);

/** Counts events that are dropped. */
export const countExpired = (count: number): Effect.Effect<void> => Metric.update(expired, count);

/** Records what waits. `oldestMillis` is the age of the oldest event, 0 for none. */
export const noteWaiting = (counts: {
  readonly events: number;
  readonly calls: number;
  readonly oldestMillis: number;
}): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(waiting, counts.events),
    Effect.andThen(
      Metric.update(retrying, counts.calls),
      Metric.update(oldest, Math.round(counts.oldestMillis / 1000)),
    ),
  );
