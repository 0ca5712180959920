import { Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";

const builds = knownSeries(
  Metric.histogram("waypost_location_index_build_seconds", {
    description: "Time to update the location index of one environment, in seconds.",
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
);

const environments = Metric.gauge("waypost_location_index_environments", {
  description: "Environments whose location index this process has in memory.",
});

const positions = Metric.gauge("waypost_location_index_positions", {
  description: "Memory of the location indexes in this process, in positions of 16 bytes.",
});

/** Records the duration of an update of an index, in milliseconds. */
export const recordBuild = (millis: number): Effect.Effect<void> => Metric.update(builds, millis / 1000);

/** Records how many indexes are in memory, and their size in positions of 16 bytes. */
export const recordMemory = (indexes: number, memory: number): Effect.Effect<void> =>
  Effect.andThen(Metric.update(environments, indexes), Metric.update(positions, memory));
