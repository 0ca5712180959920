import { counter } from "../../telemetry/KnownSeries.ts";

/** Counts permits that this process gave to deliveries of paced sends. */
export const countPermits = counter(
  "waypost_pace_permits_total",
  "Deliveries of sends with a pace that got their permit, to be sent.",
  {},
);
