import { counter } from "../../telemetry/KnownSeries.ts";

/** Counts messages that fell into quiet hours. */
export const countQuiet = counter(
  "waypost_quiet_hours_total",
  "Messages that fell into quiet hours, by action: hold (sent when they end), or drop.",
  { action: ["hold", "drop"] },
);

/** Counts held deliveries that were released. */
export const countReleased = counter(
  "waypost_held_deliveries_released_total",
  "Held deliveries whose quiet hours have ended, by outcome: queued (to be pushed), delivered (to an " +
    "inbox), or failed.",
  { outcome: ["queued", "delivered", "failed"] },
);
