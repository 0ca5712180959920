import { Context } from "effect";

/**
 * How much the rollup job does at a time. `deliveries` and `events`: source rows of the deltas that one
 * transaction adds, about. `interactions`: deltas of interactions, and as many of answers.
 * `rebuild`: source rows of each kind that a period of a rebuild has, about;
 * `periods`: periods that one transaction rebuilds. `rows` and `bytes`: rollups that one statement writes.
 */
export const RollupSizes = Context.Reference("waypost/reports/rollups/RollupSizes", {
  defaultValue: () => ({
    deliveries: 100_000,
    events: 20_000,
    interactions: 20_000,
    rebuild: 300_000,
    periods: 8,
    rows: 2000,
    bytes: 4_000_000,
  }),
});
