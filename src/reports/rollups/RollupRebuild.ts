import { Context, Effect, Layer } from "effect";
import { addDays, dateAt, dayStart } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import { builtOutcomes, builtVisits, nextExits, placesOfVisits } from "./RollupRows.ts";
import { RollupBuilderSql } from "./RollupRebuildSql.ts";
import { runSliced } from "../../workers/TimeSlices.ts";
import { buildDays, type RollupSpan } from "./RollupKeys.ts";
import { countRollupProgress } from "./RollupMetrics.ts";
import type { OutcomeColumns, VisitColumns, WaitingTenant } from "./RollupTypes.ts";
import { RollupSizes } from "./RollupLimits.ts";
import { builtTotals } from "./RollupTotals.ts";
import { RollupWriter } from "./RollupWriter.ts";

const QUARTER = 900_000;
const DAY = 86_400_000;
/** A time without much in it is still cut, for every day and month of it is held. */
const mostDays = 400;
/** How far behind its time exits are read in order; the few later ones are looked up. */
const ahead = DAY;

/** Makes rollups of base rows: after a change of time zone, or of what there was before there were any. */
export class RollupBuilder extends Context.Service<RollupBuilder>()("waypost/reports/RollupBuilder", {
  make: Effect.gen(function* () {
    const repository = yield* RollupBuilderSql;
    const writer = yield* RollupWriter;

    /** How far to go back from an instant, by what is expected: whole days where a day is not too much, else quarters of an hour. */
    const backFrom = Effect.fnUntraced(function* (tenant: WaitingTenant, toMs: number, most: number) {
      const zone = tenant.timezone as TimeZoneName;
      const before = (days: number) => dayStart(zone, addDays(dateAt(zone, toMs - 1), 1 - days));
      let days = mostDays;
      for (;;) {
        const expected = yield* repository.expected(tenant, before(days), toMs);
        if (expected <= most) return before(days);
        if (days === 1) return lastPart(zone, before(1), toMs, most / expected);
        days = Math.max(1, Math.min(days - 1, Math.floor((days * most) / expected)));
      }
    });

    /** What rows there cannot be yet: those of days that end at the instant or before it. */
    const newBefore = (tenant: WaitingTenant, toMs: number) => {
      const date = dateAt(tenant.timezone as TimeZoneName, toMs);
      return ({ startsOn }: RollupSpan) => startsOn < date;
    };

    const addOutcomes = Effect.fnUntraced(function* (
      tenant: WaitingTenant,
      { fromMs, outcomes, toMs }: BaseRows,
    ) {
      if (outcomes.devices.length === 0) return;
      const days = buildDays(tenant.timezone as TimeZoneName, fromMs, toMs);
      const own = yield* runSliced(builtOutcomes(days, outcomes));
      const totals = yield* runSliced(builtTotals(days, outcomes));
      yield* writer.addDeliveries(tenant, [...own, ...totals], newBefore(tenant, toMs));
    });

    /** Finds, from an instant on, the exits of entries for which there is none yet; so many at a time. */
    const findLateExits = Effect.fnUntraced(function* (
      tenant: WaitingTenant,
      { devices, entered, locations, pairs }: VisitColumns,
      exits: Float64Array,
      {
        counted,
        fromMs,
        isFed,
      }: { readonly counted: number; readonly fromMs: number; readonly isFed: boolean },
    ) {
      const { rows } = yield* RollupSizes;
      const open: Array<number> = [];
      for (let row = 0; row < counted; row++) {
        if (entered[row] === 1 && pairs[row] === 1 && Number.isNaN(exits[row])) open.push(row);
      }
      for (let at = 0; at < open.length; at += rows) {
        const some = open.slice(at, at + rows);
        const entries = {
          devices: some.map((row) => devices[row] ?? 0),
          locations: some.map((row) => locations[row] ?? 0),
          fromMs,
        };
        for (const late of yield* repository.lateExits(tenant, entries, isFed)) {
          const row = some[late.ord - 1];
          if (row !== undefined) exits[row] = late.at;
        }
      }
    });

    const addVisits = Effect.fnUntraced(function* (
      tenant: WaitingTenant,
      { fromMs, toMs, visits }: BaseRows,
    ) {
      const { build } = yield* RollupSizes;
      const counted = visits.devices.length;
      if (counted === 0) return;
      const isFed = yield* repository.isFed(tenant);
      const most = Math.ceil(build / 2);
      const next = yield* repository.exits(tenant, toMs, toMs + ahead, most, isFed);
      const all = joined<VisitColumns>([visits, next]);
      const sorted = yield* runSliced(placesOfVisits(all));
      const exits = nextExits(all, sorted);
      yield* Effect.yieldNow;
      const last = next.at.at(-1);
      const seenMs = next.at.length < most || last === undefined ? toMs + ahead : Math.floor(last / 1000);
      yield* findLateExits(tenant, all, exits, { counted, fromMs: seenMs, isFed });
      const days = buildDays(tenant.timezone as TimeZoneName, fromMs, toMs);
      const built = yield* runSliced(builtVisits(days, all, { counted, exits, sorted }));
      yield* writer.addEvents(tenant, built, newBefore(tenant, toMs));
    });

    /** The base rows of a time up to an instant: of a shorter one where they are far more than expected. */
    const read = Effect.fnUntraced(function* (tenant: WaitingTenant, toMs: number) {
      const { build } = yield* RollupSizes;
      const zone = tenant.timezone as TimeZoneName;
      let fromMs = yield* backFrom(tenant, toMs, build);
      for (;;) {
        const most = toMs - fromMs > QUARTER ? build * 2 : 2_000_000_000;
        const outcomes = yield* repository.outcomes(tenant, fromMs, toMs, most + 1);
        const visits =
          outcomes.devices.length > most
            ? undefined
            : yield* repository.visits(tenant, fromMs, toMs, most + 1);
        if (visits === undefined || visits.devices.length > most) {
          fromMs = lastPart(zone, fromMs, toMs, 1 / 2);
          continue;
        }
        const rows: BaseRows = {
          fromMs,
          toMs,
          outcomes: joined<OutcomeColumns>([
            outcomes,
            yield* repository.packedOutcomes(tenant, fromMs, toMs),
          ]),
          visits: joined<VisitColumns>([visits, yield* repository.packedVisits(tenant, fromMs, toMs)]),
        };
        return rows;
      }
    });

    /** Adds the base rows of a time. */
    const addAll = Effect.fnUntraced(function* (tenant: WaitingTenant, rows: BaseRows) {
      // What came while rollups were made is among the base rows, and counts from here on. It changes no stay that is rolled up: those began later.
      yield* repository.dropApplied(tenant, rows.fromMs, rows.toMs);
      yield* addOutcomes(tenant, rows);
      yield* addVisits(tenant, rows);
      yield* countRollupProgress("deliveries", "base", rows.outcomes.devices.length);
      yield* countRollupProgress("events", "base", rows.visits.devices.length);
    });

    return {
      /** An instant (epoch milliseconds) that no base row from before the given one is behind; null if there is none. */
      newest: repository.newest,

      /**
       * Adds the base rows of so many times up to an instant, from which on all are rolled up, and tells from where on they are then (epoch milliseconds),
       * -Infinity at the end of all. In the transaction that holds the rollups, so of one snapshot: while one time is added up, the one before it is read.
       */
      next: Effect.fnUntraced(function* (tenant: WaitingTenant, toMs: number, times: number) {
        yield* repository.takeRoom;
        let rows = yield* read(tenant, toMs);
        for (let time = 1; ; time++) {
          const isLast = (yield* repository.newest(tenant, rows.fromMs)) === null;
          if (isLast || time === times) {
            yield* addAll(tenant, rows);
            return isLast ? -Infinity : rows.fromMs;
          }
          [rows] = yield* Effect.all([read(tenant, rows.fromMs), addAll(tenant, rows)], { concurrency: 2 });
        }
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupBuilder, RollupBuilder.make).pipe(
    Layer.provide([RollupBuilderSql.layer, RollupWriter.layer]),
  );
}

interface BaseRows {
  readonly fromMs: number;
  readonly toMs: number;
  readonly outcomes: OutcomeColumns;
  readonly visits: VisitColumns;
}

/** The beginning of about so much of a time up to its end: at a local midnight if there is one, else at a quarter of an hour. */
const lastPart = (zone: TimeZoneName, fromMs: number, toMs: number, share: number): number => {
  const about = toMs - (toMs - fromMs) * share;
  const midnight = dayStart(zone, addDays(dateAt(zone, about), 1));
  return midnight < toMs ? midnight : Math.min(toMs - QUARTER, Math.ceil(about / QUARTER) * QUARTER);
};

/** The rows of tables of the same columns, one table behind the other. */
const joined = <
  Columns extends { readonly [name in keyof Columns]: Int32Array | Uint8Array | Float64Array },
>([first, second]: readonly [Columns, Columns]): Columns => {
  const entries = Object.keys(first).map((name) => {
    const [one, other] = [first[name as keyof Columns], second[name as keyof Columns]];
    if (other.length === 0) return [name, one];
    const both = new (one.constructor as new (length: number) => Int32Array | Uint8Array | Float64Array)(
      one.length + other.length,
    );
    both.set(one);
    both.set(other, one.length);
    return [name, both];
  });
  return Object.fromEntries(entries) as Columns;
};
