import { type Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";

const erased = knownSeries(
  Metric.counter("waypost_erased_devices_total", {
    description: "Devices that were erased, alone or with their person.",
    incremental: true,
  }),
);

/** Counts erased devices. */
export const countErased = (devices: number): Effect.Effect<void> => Metric.update(erased, devices);
