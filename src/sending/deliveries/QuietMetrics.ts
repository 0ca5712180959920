import { type Effect, Metric } from "effect";
import { knownSeries } from "../../telemetry/KnownSeries.ts";
import type { Quiet } from "../../workspaces/QuietHours.ts";

const quiet = knownSeries(
  Metric.counter("waypost_quiet_hours_total", {
    description: "Messages that fell into quiet hours, by action: hold (sent when they end), or drop.",
    incremental: true,
  }),
  { action: ["hold", "drop"] },
);

const released = knownSeries(
  Metric.counter("waypost_held_deliveries_released_total", {
    description:
      "Held deliveries whose quiet hours have ended, by outcome: queued (to be pushed), delivered (to an " +
      "inbox), or failed.",
    incremental: true,
  }),
  { outcome: ["queued", "delivered", "failed"] },
);

/** Counts messages that fell into quiet hours. */
export const countQuiet = (action: Quiet["action"], number: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(quiet, { action }), number);

/** Counts held deliveries that were released. */
export const countReleased = (
  outcome: "queued" | "delivered" | "failed",
  number: number,
): Effect.Effect<void> => Metric.update(Metric.withAttributes(released, { outcome }), number);
