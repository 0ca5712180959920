import { Context, Effect, Layer } from "effect";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { DeviceTally } from "./encoding/DeviceSet.ts";
import { timeSlices } from "../../workers/TimeSlices.ts";
import type { OutcomeFigures, SummaryFigures, VisitFigures } from "../ReportCountsSql.ts";
import type { ReportScope } from "../ReportFiguresSql.ts";
import { filtersItems } from "../ReportQuery.ts";
import { RollupReaderSql } from "./RollupReaderSql.ts";
import { RollupBuilderSql } from "./RollupRebuildSql.ts";
import { daysIn, partsOf } from "./RollupKeys.ts";
import { integersOf } from "./encoding/BinaryArrays.ts";
import { type OutcomeGroup, RawCountsSql } from "../RawCountsSql.ts";
import { allTogether, blockOf, everyBlock, forEachVisit, wholeOf } from "./encoding/LocationBlock.ts";
import { countsEntries, countsExits, type LocationSum, locationsOf, nothing } from "./LocationSums.ts";

/** What a report counts, and where: in rollups and feed, and in base rows for the time that is not rolled up yet, if it is in the range. */
export interface CountedScope {
  readonly rolled: ReportScope;
  readonly unrolled: ReportScope | undefined;
}

/** The scope, told apart at the instant (epoch milliseconds) from which on base rows are rolled up. */
const splitScope = (scope: ReportScope, rolledUpFrom: number): CountedScope => {
  const { fromMs, toMs } = scope.range;
  const cut = (range: Partial<ReportScope["range"]>) => ({ ...scope, range: { ...scope.range, ...range } });
  return rolledUpFrom <= fromMs
    ? { rolled: scope, unrolled: undefined }
    : {
        rolled: cut({ fromMs: Math.min(rolledUpFrom, toMs) }),
        unrolled: cut({ toMs: Math.min(rolledUpFrom, toMs) }),
      };
};

/** What reports count, from rollups and feed, and from base rows so far as those are not complete. */
export class RollupReader extends Context.Service<RollupReader>()("waypost/reports/RollupReader", {
  make: Effect.gen(function* () {
    const repository = yield* RollupReaderSql;
    const unrolled = yield* RawCountsSql;
    const builder = yield* RollupBuilderSql;

    /** Deliveries that are not in the rollups. */
    const reportedOutcomes = Effect.fnUntraced(function* (
      tenant: Tenant,
      scope: CountedScope,
      by: OutcomeGroup,
    ) {
      const fed = yield* repository.pendingOutcomes(tenant, scope.rolled);
      return scope.unrolled === undefined
        ? fed
        : [...fed, ...(yield* unrolled.outcomes(tenant, scope.unrolled, by))];
    });

    /** Which rows the range is read from. */
    const parts = (tenant: Tenant, { range }: ReportScope) =>
      Effect.map(repository.monthsBefore(tenant), (before) => partsOf(range.dates, before));

    /** Which blocks of locations are read, and which locations in them: null for all of them. */
    const asked = Effect.fnUntraced(function* (tenant: Tenant, scope: ReportScope) {
      if (!filtersItems(scope.filters)) return { blocks: everyBlock, wanted: null };
      const wanted = new Set(yield* repository.locations(tenant, scope));
      return { blocks: [...new Set([...wanted].map(blockOf))], wanted };
    });

    /** Deliveries and distinct devices of each day and of the range (place 0). */
    const deliveryDays = Effect.fnUntraced(function* (tenant: Tenant, counted: CountedScope) {
      const { rolled: scope } = counted;
      const places = new Map(scope.range.dates.map((date, place) => [date as string, place + 1]));
      const delivered = [0, ...scope.range.dates.map(() => 0)];
      const reached = [...delivered];
      const dayOf = daysIn(tenant.workspace.timezone as TimeZoneName);
      const yieldIfLong = timeSlices();
      const total = new DeviceTally();
      const day = new DeviceTally();

      const fed = new Map<string, Array<Int32Array>>();
      for (const { devices, quarter, status } of yield* reportedOutcomes(tenant, counted, "day")) {
        if (status !== "delivered") continue;
        const date = dayOf(quarter);
        fed.set(date, [...(fed.get(date) ?? []), integersOf(devices)]);
        yield* yieldIfLong;
      }
      /** Counts a day by the devices that are in its rollups and those that are in the feed. */
      const count = (date: string, sets: Uint8Array | undefined, rolledUp: number) => {
        const place = places.get(date) ?? 0;
        day.clear();
        if (sets !== undefined) day.addSets(sets, total);
        delivered[place] = rolledUp;
        for (const devices of fed.get(date) ?? []) {
          for (const key of devices) {
            day.add(key);
            total.add(key);
          }
          delivered[place] += devices.length;
        }
        reached[place] = day.count;
        fed.delete(date);
      };

      if (filtersItems(scope.filters)) {
        for (const row of yield* repository.outcomesOfDays(tenant, scope)) {
          count(row.key, row.devices, row.delivered);
          yield* yieldIfLong;
        }
      } else {
        const rolledUp = new Map<string, number>();
        for (const row of yield* repository.days(tenant, scope)) {
          rolledUp.set(row.date, row.delivered);
          delivered[places.get(row.date) ?? 0] = row.delivered;
          reached[places.get(row.date) ?? 0] = row.reached;
        }
        if (fed.size > 0) {
          for (const row of yield* repository.devicesOfDays(tenant, scope, [...fed.keys()])) {
            count(row.date, row.devices, rolledUp.get(row.date) ?? 0);
          }
        }
        for (const row of yield* repository.devicesOfRange(tenant, scope, yield* parts(tenant, scope))) {
          total.addSets(row.devices);
          yield* yieldIfLong;
        }
      }
      for (const date of fed.keys()) {
        count(date, undefined, 0);
        yield* yieldIfLong;
      }
      delivered[0] = delivered.reduce((sum, each) => sum + each, 0);
      reached[0] = total.count;
      return { delivered, reached };
    });

    /** Entries and exits of each day and of the range (place 0). */
    const eventDays = Effect.fnUntraced(function* (tenant: Tenant, counted: CountedScope) {
      const { rolled: scope } = counted;
      const places = new Map(scope.range.dates.map((date, place) => [date as string, place + 1]));
      const entries = [0, ...scope.range.dates.map(() => 0)];
      const exits = [...entries];
      const dayOf = daysIn(tenant.workspace.timezone as TimeZoneName);
      const add = (date: string, entered: number, exited: number) => {
        for (const place of [0, places.get(date) ?? 0]) {
          entries[place] = (entries[place] ?? 0) + (countsEntries(scope) ? entered : 0);
          exits[place] = (exits[place] ?? 0) + (countsExits(scope) ? exited : 0);
        }
      };
      const { blocks, wanted } = yield* asked(tenant, scope);
      const read = wanted === null ? [allTogether] : blocks;
      const yieldIfLong = timeSlices();
      for (const { date, visits } of yield* repository.visitsOfDays(tenant, scope, read)) {
        let [entered, exited] = [0, 0];
        forEachVisit(visits, (key, entries, exits) => {
          if (wanted !== null && !wanted.has(key)) return;
          entered += entries;
          exited += exits;
        });
        add(date, entered, exited);
        yield* yieldIfLong;
      }
      const told = [
        ...(yield* repository.pendingTransitions(tenant, scope)),
        ...(counted.unrolled === undefined ? [] : yield* unrolled.visitsOfDays(tenant, counted.unrolled)),
      ];
      for (const { count, quarter, type } of told) {
        add(dayOf(quarter), type === "enter" ? count : 0, type === "enter" ? 0 : count);
      }
      return { entries, exits };
    });

    const outcomes = Effect.fnUntraced(function* (
      tenant: Tenant,
      scope: CountedScope,
      by: "campaign_key" | "notification_key",
    ) {
      const yieldIfLong = timeSlices();
      const fed = Map.groupBy(yield* reportedOutcomes(tenant, scope, by), (each) => each[by]);
      const tally = new DeviceTally();
      const counted: Array<OutcomeFigures> = [];
      const count = (key: number, sets: Uint8Array | undefined, delivered: number, failed: number) => {
        tally.clear();
        if (sets !== undefined) tally.addSets(sets);
        const sum = { key, delivered, failed, reached: 0 };
        for (const { devices, status } of fed.get(key) ?? []) {
          const keys = integersOf(devices);
          sum[status === "delivered" ? "delivered" : "failed"] += keys.length;
          if (status === "delivered") for (const key of keys) tally.add(key);
        }
        fed.delete(key);
        counted.push({ ...sum, reached: tally.count });
      };
      for (const row of yield* repository.outcomes(
        tenant,
        scope.rolled,
        yield* parts(tenant, scope.rolled),
        by,
      )) {
        count(row.key, row.devices, row.delivered, row.failed);
        yield* yieldIfLong;
      }
      for (const key of fed.keys()) {
        count(key, undefined, 0, 0);
        yield* yieldIfLong;
      }
      return counted;
    });

    return {
      /** Makes every statement of this transaction see the same snapshot; before anything else. */
      useOneSnapshot: repository.useOneSnapshot,

      /**
       * Where to count what (`counted`; nothing if the rollups are by another time zone than the workspace has, or there are none), what of it is in base rows
       * alone, and from when on base rows are rolled up.
       */
      split: (tenant: Tenant, scope: ReportScope) =>
        Effect.map(repository.rolledUpFrom(tenant, tenant.workspace.timezone), ([state]) => {
          if (state === undefined) return { counted: undefined, unrolled: scope, rolledUpFrom: Infinity };
          const counted = splitScope(scope, state.rolledUpFrom);
          return { counted, unrolled: counted.unrolled, rolledUpFrom: state.rolledUpFrom };
        }),

      /** About how many base rows the scope has, of deliveries or events whichever are more. */
      expected: (tenant: Tenant, { range }: ReportScope) =>
        builder.expected(tenant, range.fromMs, range.toMs),

      /** More memory than other statements have, until the transaction ends: sorting is most of the work. */
      takeRoom: builder.takeRoom,

      /** The figures of `summaryCounts`. */
      summary: Effect.fnUntraced(function* (tenant: Tenant, scope: CountedScope) {
        const figures: SummaryFigures = {
          ...(yield* deliveryDays(tenant, scope)),
          ...(yield* eventDays(tenant, scope)),
        };
        return figures;
      }),

      /** The figures of `campaignCounts`. */
      campaigns: (tenant: Tenant, scope: CountedScope) => outcomes(tenant, scope, "campaign_key"),

      /** The figures of `notificationCounts`. */
      notifications: (tenant: Tenant, scope: CountedScope) => outcomes(tenant, scope, "notification_key"),

      /** The figures of `locationCounts`. */
      locations: Effect.fnUntraced(function* (tenant: Tenant, counts: CountedScope) {
        const { rolled: scope } = counts;
        const yieldIfLong = timeSlices();
        const told = [...(yield* repository.pendingTransitions(tenant, scope))];
        const reportedVisits = [...(yield* repository.pendingVisits(tenant, scope))];
        if (counts.unrolled !== undefined) {
          told.push(...(yield* unrolled.visits(tenant, counts.unrolled)));
          reportedVisits.push(...(yield* unrolled.stays(tenant, counts.unrolled)));
        }
        const fed = Map.groupBy(told, (each) => each.location_key);
        const stays = new Map<number, { readonly stays: number; readonly stayed: bigint }>();
        for (const each of reportedVisits) {
          const before = stays.get(each.key) ?? { stays: 0, stayed: 0n };
          stays.set(each.key, { stays: before.stays + each.stays, stayed: before.stayed + each.stayed });
        }
        const tally = new DeviceTally();
        const counted: Array<VisitFigures> = [];
        const count = (key: number, sums: LocationSum) => {
          tally.clear();
          for (const [sets, at] of sums.sets) tally.addSetAt(sets, at);
          let { entries, exits } = sums;
          for (const { count, devices, type } of fed.get(key) ?? []) {
            if (type === "enter") {
              entries += count;
              for (const device of integersOf(devices)) tally.add(device);
            } else exits += count;
          }
          const more = stays.get(key);
          fed.delete(key);
          stays.delete(key);
          const isOfEntries = countsEntries(scope);
          counted.push({
            key,
            entries: isOfEntries ? entries : 0,
            exits: countsExits(scope) ? exits : 0,
            entered: isOfEntries ? tally.count : 0,
            stays: isOfEntries ? sums.stays + (more?.stays ?? 0) : 0,
            stayed: wholeOf(sums.high, sums.low) + (more?.stayed ?? 0n),
          });
        };
        const { blocks, wanted } = yield* asked(tenant, scope);
        const rows = yield* repository.visits(tenant, scope, yield* parts(tenant, scope), blocks);
        for (const ofBlock of Map.groupBy(rows, ({ block }) => block).values()) {
          for (const [key, sums] of locationsOf(ofBlock, wanted)) {
            count(key, sums);
            yield* yieldIfLong;
          }
        }
        for (const key of new Set([...fed.keys(), ...stays.keys()])) {
          count(key, nothing());
          yield* yieldIfLong;
        }
        return counted;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupReader, RollupReader.make).pipe(
    Layer.provide([RollupReaderSql.layer, RawCountsSql.layer, RollupBuilderSql.layer]),
  );
}
