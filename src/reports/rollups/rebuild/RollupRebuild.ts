import { Context, Effect, Layer } from "effect";
import { addDays, DAY_MS } from "../../../time/DayNumbers.ts";
import { dateAt, dayStart } from "../../../time/LocalTime.ts";
import type { TimeZoneName } from "../../../time/TimeZone.ts";
import { runSliced } from "../../../workers/TimeSlices.ts";
import { SourceRowEstimateSql } from "../../SourceRowEstimateSql.ts";
import type { Period } from "../../SourceRowsSql.ts";
import { RollupDeltasSql } from "../RollupDeltasSql.ts";
import { InteractionWriter } from "../InteractionWriter.ts";
import { noMonth, type RollupSpan } from "../RollupKeys.ts";
import { countRollupRows } from "../RollupMetrics.ts";
import { RollupSizes } from "../RollupSizes.ts";
import type { PendingTenant } from "../RollupTypes.ts";
import { RollupWriter } from "../RollupWriter.ts";
import { InteractionRebuildSql } from "./InteractionRebuildSql.ts";
import { nextExits, sortedTransitions } from "./NextExits.ts";
import { outcomeRows } from "./OutcomeRows.ts";
import { outcomeTotals } from "./OutcomeTotals.ts";
import { rebuildDays } from "./RebuildDays.ts";
import { RollupRebuildSql } from "./RollupRebuildSql.ts";
import { concatenated, type OutcomeColumns, type TransitionColumns } from "./SourceColumns.ts";
import { transitionRows } from "./TransitionRows.ts";

const quarterMillis = 900_000;
/** The longest period, however few rows it has: the sums of all its days are in memory. */
const maxDays = 400;
/** How far behind a period exits are read by time; the few later ones are read entry by entry. */
const exitAheadMillis = DAY_MS;
/** No limit, for a period that cannot be shortened. */
const unlimited = 2_000_000_000;

/** The source rows of a period. */
interface SourceRows {
  readonly period: Period;
  readonly outcomes: OutcomeColumns;
  readonly transitions: TransitionColumns;
}

/** The start of the last share of a period: a local midnight, else a quarter of an hour. */
const lastPart = (zone: TimeZoneName, { fromMs, toMs }: Period, share: number): number => {
  const about = toMs - (toMs - fromMs) * share;
  const midnight = dayStart(zone, addDays(dateAt(zone, about), 1));
  return midnight < toMs
    ? midnight
    : Math.min(toMs - quarterMillis, Math.ceil(about / quarterMillis) * quarterMillis);
};

/** Rebuilds rollups from source rows, newest first: at first, for a new time zone, on demand. */
export class RollupRebuild extends Context.Service<RollupRebuild>()(
  "waypost/reports/rollups/rebuild/RollupRebuild",
  {
    make: Effect.gen(function* () {
      const statements = yield* RollupRebuildSql;
      const estimates = yield* SourceRowEstimateSql;
      const deltas = yield* RollupDeltasSql;
      const writer = yield* RollupWriter;
      const interactions = yield* InteractionRebuildSql;
      const interactionWriter = yield* InteractionWriter;

      /** Start of a period of about `rows` rows; whole days unless one day has more. */
      const periodStart = Effect.fnUntraced(function* (tenant: PendingTenant, toMs: number, rows: number) {
        const zone = tenant.timezone;
        const daysBefore = (days: number) => dayStart(zone, addDays(dateAt(zone, toMs - 1), 1 - days));
        let days = maxDays;
        for (;;) {
          const period = { fromMs: daysBefore(days), toMs };
          const expected = yield* estimates.rows(tenant, period);
          if (expected <= rows) return period.fromMs;
          if (days === 1) return lastPart(zone, period, rows / expected);
          days = Math.max(1, Math.min(days - 1, Math.floor((days * rows) / expected)));
        }
      });

      /** Source rows of a period that ends at an instant; a shorter one where the estimate was too low. */
      const read = Effect.fnUntraced(function* (tenant: PendingTenant, toMs: number) {
        const { rebuild } = yield* RollupSizes;
        let fromMs = yield* periodStart(tenant, toMs, rebuild);
        for (;;) {
          const period = { fromMs, toMs };
          const max = toMs - fromMs > quarterMillis ? rebuild * 2 : unlimited;
          const outcomes = yield* statements.outcomes(tenant, period, max + 1);
          const transitions =
            outcomes.devices.length > max
              ? undefined
              : yield* statements.transitions(tenant, period, max + 1);
          if (transitions === undefined || transitions.devices.length > max) {
            fromMs = lastPart(tenant.timezone, period, 1 / 2);
            continue;
          }
          const compactedOutcomes = yield* statements.compactedOutcomes(tenant, period);
          const compactedTransitions = yield* statements.compactedTransitions(tenant, period);
          return {
            period,
            outcomes: concatenated(outcomes, compactedOutcomes),
            transitions: concatenated(transitions, compactedTransitions),
          } satisfies SourceRows;
        }
      });

      /** Which rows cannot exist yet: those of days that end at the end of the period or before it. */
      const isNewBefore = (tenant: PendingTenant, { toMs }: Period) => {
        const date = dateAt(tenant.timezone, toMs);
        return ({ startsOn }: RollupSpan) => startsOn < date;
      };

      const addOutcomes = Effect.fnUntraced(function* (
        tenant: PendingTenant,
        { outcomes, period }: SourceRows,
      ) {
        if (outcomes.devices.length === 0) return;
        const days = rebuildDays(tenant.timezone, period);
        const rows = yield* runSliced(outcomeRows(days, outcomes));
        const totals = yield* runSliced(outcomeTotals(days, outcomes));
        yield* writer.addDeliveries(tenant, [...rows, ...totals], isNewBefore(tenant, period));
      });

      /** Fills in the exits, from an instant on, of the first `count` events that are entries without one. */
      const addLateExits = Effect.fnUntraced(function* (
        tenant: PendingTenant,
        { boundaries, devices, entered, locations }: TransitionColumns,
        exits: Float64Array,
        { count, fromMs, hasDeltas }: { count: number; fromMs: number; hasDeltas: boolean },
      ) {
        const { rows: batchSize } = yield* RollupSizes;
        const open: Array<number> = [];
        for (let row = 0; row < count; row++) {
          if (entered[row] === 1 && boundaries[row] === 1 && Number.isNaN(exits[row])) open.push(row);
        }
        for (let start = 0; start < open.length; start += batchSize) {
          const batch = open.slice(start, start + batchSize);
          const entries = batch.map((row) => ({ device: devices[row] ?? 0, location: locations[row] ?? 0 }));
          for (const { at, ord } of yield* statements.lateExits(tenant, entries, fromMs, hasDeltas)) {
            const row = batch[ord - 1];
            if (row !== undefined) exits[row] = at;
          }
        }
      });

      const addTransitions = Effect.fnUntraced(function* (
        tenant: PendingTenant,
        { period, transitions }: SourceRows,
      ) {
        const count = transitions.devices.length;
        if (count === 0) return;
        const hasDeltas = yield* deltas.hasEvents(tenant);
        const maxExits = Math.ceil((yield* RollupSizes).rebuild / 2);
        const after = { fromMs: period.toMs, toMs: period.toMs + exitAheadMillis };
        const laterExits = yield* statements.exits(tenant, after, maxExits, hasDeltas);
        const all = concatenated(transitions, laterExits);
        const sorted = yield* runSliced(sortedTransitions(all));
        const exits = nextExits(all, sorted);
        yield* Effect.yieldNow;
        const lastExit = laterExits.at.at(-1);
        const hasAll = laterExits.at.length < maxExits || lastExit === undefined;
        const fromMs = hasAll ? after.toMs : Math.floor(lastExit / 1000);
        yield* addLateExits(tenant, all, exits, { count, fromMs, hasDeltas });
        const days = rebuildDays(tenant.timezone, period);
        const rows = yield* runSliced(transitionRows(days, all, { count, exits, sorted }));
        yield* writer.addEvents(tenant, rows, isNewBefore(tenant, period));
      });

      /** Rolls up the interactions and answers of a period. Months have no rows during a rebuild. */
      const addInteractions = Effect.fnUntraced(function* (tenant: PendingTenant, period: Period) {
        const calendar = { timezone: tenant.timezone, monthsBefore: noMonth };
        const counted = yield* interactions.interactions(tenant, period);
        yield* interactionWriter.addInteractions(tenant, calendar, counted);
        const answers = yield* interactions.answers(tenant, period);
        yield* interactionWriter.addAnswers(tenant, calendar, answers, isNewBefore(tenant, period));
        const interacted = counted.reduce((sum, row) => sum + row.opened + row.clicked + row.responses, 0);
        yield* countRollupRows({ what: "interactions", from: "source" }, interacted);
        const given = answers.flatMap(({ counts }) => Object.values(counts));
        yield* countRollupRows(
          { what: "answers", from: "source" },
          given.reduce((sum, count) => sum + count, 0),
        );
      });

      /**
       * Rolls up the source rows of a period. Those that came in meanwhile are among them, so the period's
       * deltas go. They change no visit that is rolled up: those began later.
       */
      const add = Effect.fnUntraced(function* (tenant: PendingTenant, rows: SourceRows) {
        yield* deltas.deletePeriod(tenant, rows.period);
        yield* addOutcomes(tenant, rows);
        yield* addTransitions(tenant, rows);
        yield* addInteractions(tenant, rows.period);
        yield* countRollupRows({ what: "deliveries", from: "source" }, rows.outcomes.devices.length);
        yield* countRollupRows({ what: "events", from: "source" }, rows.transitions.devices.length);
      });

      return {
        /** Returns an instant at or after the newest source row older than `beforeMs`; null for none. */
        newest: statements.newest,

        /**
         * Rolls up so many periods before an instant, in the transaction of `RollupStateSql.lock`. Gives the
         * instant (epoch milliseconds) from which on all source rows are rolled up then, -Infinity if none is
         * left. A period is added while the one before it is read.
         */
        next: Effect.fnUntraced(function* (tenant: PendingTenant, toMs: number, periods: number) {
          yield* estimates.raiseWorkMem;
          let rows = yield* read(tenant, toMs);
          for (let count = 1; ; count++) {
            const isLast = (yield* statements.newest(tenant, rows.period.fromMs)) === null;
            if (isLast || count === periods) {
              yield* add(tenant, rows);
              return isLast ? -Infinity : rows.period.fromMs;
            }
            [rows] = yield* Effect.all([read(tenant, rows.period.fromMs), add(tenant, rows)], {
              concurrency: 2,
            });
          }
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(RollupRebuild, RollupRebuild.make).pipe(
    Layer.provide([
      RollupRebuildSql.layer,
      SourceRowEstimateSql.layer,
      RollupDeltasSql.layer,
      RollupWriter.layer,
      InteractionRebuildSql.layer,
      InteractionWriter.layer,
    ]),
  );
}
