import { counter } from "../../telemetry/KnownSeries.ts";

/** Counts places that this process gave to deliveries of paced sends. */
export const countPlaces = counter(
  "waypost_pace_places_total",
  "Deliveries of sends with a pace that got their place, to be handed over.",
  {},
);
