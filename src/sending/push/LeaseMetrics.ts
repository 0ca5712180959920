import { type Effect, Metric } from "effect";
import { knownSeries } from "../../telemetry/KnownSeries.ts";
import { Transport } from "../../devices/PushAddress.ts";

const uncertain = knownSeries(
  Metric.counter("waypost_push_uncertain_total", {
    description:
      "Pushes that may arrive twice, by transport and cause: unanswered (retried, but the provider may " +
      "have it), taken_over (from a process without heartbeats), stopped (no response before the process " +
      "ended), unwritten (its outcome could not be stored).",
    incremental: true,
  }),
  { transport: Transport.literals, cause: ["unanswered", "taken_over", "stopped", "unwritten"] },
);

const lost = knownSeries(
  Metric.counter("waypost_push_leases_lost_total", {
    description:
      "Pushes whose lease this process lost, by transport and when it noticed: before the attempt (it was " +
      "not sent), or after (another process has taken it over).",
    incremental: true,
  }),
  { transport: Transport.literals, found: ["before", "after"] },
);

/** Counts pushes that may arrive twice. */
export const countUncertain = (
  transport: Transport,
  cause: "unanswered" | "taken_over" | "stopped" | "unwritten",
  count: number,
): Effect.Effect<void> => Metric.update(Metric.withAttributes(uncertain, { transport, cause }), count);

/** Counts pushes whose lease this process lost. */
export const countLost = (
  transport: Transport,
  found: "before" | "after",
  count: number,
): Effect.Effect<void> => Metric.update(Metric.withAttributes(lost, { transport, found }), count);
