import { Context, Effect, Metric } from "effect";
import { Transport } from "../../devices/PushAddress.ts";
import { counter, knownSeries } from "../../telemetry/KnownSeries.ts";
import { cutFields } from "./PushPayload.ts";
import { verdicts } from "./PushOutcomesSql.ts";
import type { PushOutcome } from "./transports/PushTransport.ts";

const attempts = knownSeries(
  Metric.counter("waypost_push_attempts_total", {
    description:
      "Push attempts, by transport and outcome: Accepted, Gone, Refused, Unauthorized, Unavailable.",
    incremental: true,
  }),
  {
    transport: Transport.literals,
    outcome: ["Accepted", "Gone", "Refused", "Unauthorized", "Unavailable"],
  },
);

const seconds = knownSeries(
  Metric.histogram("waypost_push_seconds", {
    description: "Duration of push attempts in seconds, by transport.",
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
  { transport: Transport.literals },
);

const depth = Metric.gauge("waypost_push_queue", {
  description: "Queued pushes by transport, those in flight included; counted up to 100,000 in all.",
});

/** Counts one attempt and its duration. */
export const countAttempt = (
  transport: Transport,
  outcome: PushOutcome["_tag"],
  millis: number,
): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(attempts, { transport, outcome }), 1),
    Metric.update(Metric.withAttributes(seconds, { transport }), millis / 1000),
  );

/** Counts accepted attempts by their durations. */
export const countAccepted = (transport: Transport, millis: ReadonlyArray<number>): Effect.Effect<void> =>
  Effect.contextWith((all: Context.Context<never>) =>
    Effect.sync(() => {
      // Each update copies its services, so give it few.
      const services = Context.pick(Metric.MetricRegistry)(all);
      const accepted = Metric.withAttributes(attempts, { transport, outcome: "Accepted" });
      const duration = Metric.withAttributes(seconds, { transport });
      accepted.updateUnsafe(millis.length, services);
      for (const each of millis) duration.updateUnsafe(each / 1000, services);
    }),
  );

/** Counts settled pushes. */
export const countSettled = counter(
  "waypost_push_settled_total",
  "Settled pushes, by verdict: delivered, failed, delayed (to be retried), dropped (their send was " +
    "stopped), returned (not sent in time).",
  { transport: Transport.literals, verdict: verdicts },
);

/** Counts fields that did not fit into pushes. */
export const countCut = counter(
  "waypost_push_cut_total",
  "Fields of pushes that were shortened or left out to fit the limit of the push service, by transport and " +
    "field. A retry counts again.",
  { transport: Transport.literals, field: cutFields },
);

/** Counts pushes that may arrive twice. */
export const countUncertain = counter(
  "waypost_push_uncertain_total",
  "Pushes that may arrive twice, by transport and cause: unanswered (retried, but the provider may " +
    "have it), taken_over (from a process without heartbeats), stopped (no response before the process " +
    "ended), unwritten (its outcome could not be stored).",
  { transport: Transport.literals, cause: ["unanswered", "taken_over", "stopped", "unwritten"] },
);

/** Counts pushes whose lease this process lost. */
export const countLost = counter(
  "waypost_push_leases_lost_total",
  "Pushes whose lease this process lost, by transport and when it noticed: before the attempt (it was not " +
    "sent), or after (another process has taken it over).",
  { transport: Transport.literals, found: ["before", "after"] },
);

/** Records the number of queued pushes. */
export const noteDepth = (transport: Transport, count: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(depth, { transport }), count);
