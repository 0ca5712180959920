import { type Effect, Metric } from "effect";
import type { PushProvider } from "./PushCredential.ts";

const offset = Metric.gauge("waypost_clock_offset_seconds", {
  description:
    "How far this machine's clock is ahead of the database's, in seconds; negative where it is behind.",
});

const clockSet = Metric.counter("waypost_database_clock_set_total", {
  description: "How often the database's clock was seen to have been set, by more than a second.",
  incremental: true,
});

const uncertain = Metric.counter("waypost_push_uncertain_total", {
  description:
    "Pushes that may arrive twice, by transport and cause: unanswered (tried again, but the service may have it), taken_over (from a process that gave no sign of life), stopped (no answer before the process ended), unwritten (its outcome could not be written down).",
  incremental: true,
});

const lost = Metric.counter("waypost_push_leases_lost_total", {
  description:
    "Pushes that this process could not hold, by transport and when it was found out: before (it was not handed over), or after (another process had it by then).",
  incremental: true,
});

/** Notes how many milliseconds this machine's clock is ahead of the database's. */
export const noteClockOffset = (millis: number): Effect.Effect<void> =>
  Metric.update(offset, Math.round(millis) / 1_000);

/** Counts a database's clock that was set. */
export const countClockSet: Effect.Effect<void> = Metric.update(clockSet, 1);

/** Counts pushes that may arrive twice. */
export const countUncertain = (
  transport: PushProvider,
  cause: "unanswered" | "taken_over" | "stopped" | "unwritten",
  count: number,
): Effect.Effect<void> => Metric.update(Metric.withAttributes(uncertain, { transport, cause }), count);

/** Counts pushes whose lease ran out in this process. */
export const countLost = (
  transport: PushProvider,
  found: "before" | "after",
  count: number,
): Effect.Effect<void> => Metric.update(Metric.withAttributes(lost, { transport, found }), count);
