import { Effect, Metric } from "effect";

const builds = Metric.histogram("waypost_location_index_build_seconds", {
  description: "Time to bring the places of one environment up to date in memory, in seconds.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

const held = Metric.gauge("waypost_location_index_environments", {
  description: "Environments whose places this process holds in memory.",
});

const positions = Metric.gauge("waypost_location_index_positions", {
  description: "Positions of the places that this process holds in memory, at 16 bytes each.",
});

/** Notes how long the places of an environment took to read. */
export const noteBuild = (millis: number): Effect.Effect<void> => Metric.update(builds, millis / 1000);

/** Notes what is held in memory. */
export const noteHeld = (environments: number, weight: number): Effect.Effect<void> =>
  Effect.andThen(Metric.update(held, environments), Metric.update(positions, weight));
