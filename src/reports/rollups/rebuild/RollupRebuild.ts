import { Context, Effect, Layer } from "effect";
import { addDays } from "../../../time/DayNumbers.ts";
import { dateAt, dayStart } from "../../../time/LocalTime.ts";
import type { TimeZoneName } from "../../../time/TimeZone.ts";
import { SourceRowEstimateSql } from "../../SourceRowEstimateSql.ts";
import { integersOf } from "../encoding/BinaryArrays.ts";
import { RollupDeltasSql } from "../RollupDeltasSql.ts";
import { RollupSizes } from "../RollupSizes.ts";
import type { Deltas, PendingTenant } from "../RollupTypes.ts";
import { RollupRebuildSql } from "./RollupRebuildSql.ts";

const quarterMillis = 900_000;
/** The longest period, however few rows it has. */
const maxDays = 400;

/** The end of the local day of an instant. */
const endOfDay = (zone: TimeZoneName, ms: number): number => dayStart(zone, addDays(dateAt(zone, ms), 1));

/**
 * The start of a period that ends at an instant, behind `cut`, where it would have too many rows: a local
 * midnight; a quarter of an hour where one day has too many.
 */
const periodStart = (zone: TimeZoneName, cut: number | null, toMs: number): number => {
  const earliest = dayStart(zone, addDays(dateAt(zone, toMs - 1), 1 - maxDays));
  if (cut === null || cut < earliest) return earliest;
  const midnight = endOfDay(zone, cut);
  const quarter = (Math.floor(cut / quarterMillis) + 1) * quarterMillis;
  return midnight < toMs ? midnight : Math.min(quarter, toMs - quarterMillis);
};

/** Makes deltas of source rows, newest first: at first, for a new time zone, on demand. */
export class RollupRebuild extends Context.Service<RollupRebuild>()(
  "waypost/reports/rollups/rebuild/RollupRebuild",
  {
    make: Effect.gen(function* () {
      const statements = yield* RollupRebuildSql;
      const { raiseWorkMem } = yield* SourceRowEstimateSql;
      const { deletePeriod } = yield* RollupDeltasSql;

      return {
        /**
         * Replaces the deltas of the last period before an instant by new ones of its source rows, in the
         * transaction of `RollupStateSql.lock`: those that came in meanwhile are among them. They change no
         * visit that is rolled up, because those began later. Gives the start of the period (epoch
         * milliseconds), from which on all source rows are rolled up then; null if none is left.
         */
        takeBefore: Effect.fnUntraced(function* (tenant: PendingTenant, beforeMs: number) {
          yield* raiseWorkMem;
          const zone = tenant.timezone;
          const newest = yield* statements.rowBefore(tenant, beforeMs, 0);
          if (newest === null) return null;
          const toMs = Math.min(beforeMs, endOfDay(zone, newest));
          const cut = yield* statements.rowBefore(tenant, toMs, (yield* RollupSizes).rebuild);
          const period = { fromMs: periodStart(zone, cut, toMs), toMs };
          yield* deletePeriod(tenant, period);
          const events = yield* statements.events(tenant, period);
          const deltas: Deltas = {
            deliveries: yield* statements.deliveries(tenant, period),
            transitions: events.map((group) => ({ ...group, devices: integersOf(group.devices) })),
            visits: events,
            interactions: yield* statements.interactions(tenant, period),
            answers: yield* statements.answers(tenant, period),
          };
          return { fromMs: period.fromMs, deltas };
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(RollupRebuild, RollupRebuild.make).pipe(
    Layer.provide([RollupRebuildSql.layer, SourceRowEstimateSql.layer, RollupDeltasSql.layer]),
  );
}
