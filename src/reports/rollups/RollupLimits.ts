import { Context } from "effect";

/**
 * How much is done at once: base rows that one transaction takes from the feed (`deliveries`, `events`), or reads at once and adds up (`build`, of each kind), about, in so many
 * `times` one behind the other; and rows and bytes of rollups that one statement writes.
 */
export const RollupSizes = Context.Reference("waypost/reports/RollupSizes", {
  defaultValue: () => ({
    deliveries: 100_000,
    events: 20_000,
    build: 300_000,
    times: 8,
    rows: 2000,
    bytes: 4_000_000,
  }),
});
