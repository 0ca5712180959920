import { Context, Effect, Layer } from "effect";
import { RollupStateSql } from "./RollupStateSql.ts";
import type { EnvironmentRollups } from "./RollupTypes.ts";

/** The rollups of all environments, for operators: `waypost doctor --reports`. */
export class RollupStatus extends Context.Service<
  RollupStatus,
  {
    /** The state of each environment that has rollups or pending deltas. */
    readonly environments: Effect.Effect<ReadonlyArray<EnvironmentRollups>>;
    /** Invalidates all rollups, so that workers rebuild them. Gives the number of environments. */
    readonly rebuildAll: Effect.Effect<number>;
  }
>()("waypost/reports/rollups/RollupStatus", {
  make: Effect.map(RollupStateSql, ({ environments, invalidateAll }) => ({
    environments,
    rebuildAll: invalidateAll,
  })),
}) {
  static readonly layer = Layer.effect(RollupStatus, RollupStatus.make).pipe(
    Layer.provide(RollupStateSql.layer),
  );
}
