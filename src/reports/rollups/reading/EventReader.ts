import { Context, Effect, Layer } from "effect";
import { timeSlices } from "../../../workers/TimeSlices.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import type { ReportScope } from "../../ReportConditionsSql.ts";
import type { LocationCounts, TransitionCounts } from "../../ReportCounts.ts";
import { countsEntries, countsExits, filtersItems } from "../../ReportQuery.ts";
import { integersOf } from "../encoding/BinaryArrays.ts";
import { DeviceTally } from "../encoding/DeviceTally.ts";
import { allLocations, blockOf, forEachLocation, locationBlocks } from "../encoding/LocationBlock.ts";
import { datesIn } from "../RollupKeys.ts";
import type { VisitChange } from "../RollupTypes.ts";
import { EventReaderSql } from "./EventReaderSql.ts";
import { emptySum, locationCounts, type LocationSum, locationSums } from "./LocationSums.ts";
import type { ScopeSplit } from "./ScopeSplit.ts";

const noTransitions: TransitionCounts = { entries: 0, exits: 0 };

/** Entries and exits of some blocks that lie end to end; only of the locations given, null for all. */
const transitionsIn = (figures: Uint8Array, keys: ReadonlySet<number> | null): TransitionCounts => {
  const counts = { entries: 0, exits: 0 };
  forEachLocation(figures, (key, entries, exits) => {
    if (keys !== null && !keys.has(key)) return;
    counts.entries += entries;
    counts.exits += exits;
  });
  return counts;
};

const visitsByLocation = (changes: ReadonlyArray<VisitChange>): Map<number, VisitChange> => {
  const sums = new Map<number, VisitChange>();
  for (const { location_key, visitMicros, visits } of changes) {
    const before = sums.get(location_key) ?? { visits: 0, visitMicros: 0n };
    const sum = { visits: before.visits + visits, visitMicros: before.visitMicros + visitMicros };
    sums.set(location_key, { location_key, ...sum });
  }
  return sums;
};

/** Counts entries, exits, visits and the distinct devices that entered: by day or by location. */
export class EventReader extends Context.Service<EventReader>()(
  "waypost/reports/rollups/reading/EventReader",
  {
    make: Effect.gen(function* () {
      const rollups = yield* EventReaderSql;

      /** The blocks to read, and the locations that count in them: null for all. */
      const matching = Effect.fnUntraced(function* (tenant: Tenant, scope: ReportScope) {
        if (!filtersItems(scope.filters)) return { blocks: locationBlocks, keys: null };
        const keys = new Set(yield* rollups.locations(tenant, scope));
        return { blocks: [...new Set([...keys].map(blockOf))], keys };
      });

      /** Entries and exits of the range and of each of its days. */
      const daily = Effect.fnUntraced(function* (tenant: Tenant, { raw, rolledUp, scope }: ScopeSplit) {
        const days = new Map(scope.range.dates.map((date) => [date as string, noTransitions]));
        const add = (date: string, { entries, exits }: TransitionCounts) => {
          const day = days.get(date) ?? noTransitions;
          days.set(date, {
            entries: day.entries + (countsEntries(scope.filters) ? entries : 0),
            exits: day.exits + (countsExits(scope.filters) ? exits : 0),
          });
        };
        const dateOf = datesIn(tenant.workspace.timezone);
        const yieldIfLong = timeSlices();
        if (rolledUp !== undefined) {
          const { blocks, keys } = yield* matching(tenant, rolledUp);
          const blocksToRead = keys === null ? [allLocations] : blocks;
          for (const { date, figures } of yield* rollups.figuresOfDays(tenant, rolledUp, blocksToRead)) {
            add(date, transitionsIn(figures, keys));
            yield* yieldIfLong;
          }
        }
        const groups = [
          ...(rolledUp === undefined ? [] : yield* rollups.pendingTransitions(tenant, rolledUp)),
          ...(raw === undefined ? [] : yield* rollups.sourceTransitionsOfDays(tenant, raw)),
        ];
        for (const group of groups) add(dateOf(group.quarter), group);
        const counts = [...days.values()];
        const entries = counts.reduce((sum, day) => sum + day.entries, 0);
        const exits = counts.reduce((sum, day) => sum + day.exits, 0);
        return { total: { entries, exits }, days: counts };
      });

      /** Events, visits and distinct devices at each location. */
      const byLocation = Effect.fnUntraced(function* (
        tenant: Tenant,
        { parts, raw, rolledUp, scope }: ScopeSplit,
      ) {
        const pending = rolledUp === undefined ? [] : yield* rollups.pendingTransitions(tenant, rolledUp);
        const pendingVisits = rolledUp === undefined ? [] : yield* rollups.pendingVisits(tenant, rolledUp);
        const counted = raw === undefined ? [] : yield* rollups.sourceTransitions(tenant, raw);
        const groups = Map.groupBy([...pending, ...counted], (group) => group.location_key);
        const visits = visitsByLocation([...pendingVisits, ...counted]);
        const counts: Array<LocationCounts> = [];
        const tally = new DeviceTally();
        const yieldIfLong = timeSlices();
        const add = (key: number, sum: LocationSum): void => {
          const added = { groups: groups.get(key) ?? [], visits: visits.get(key) };
          counts.push(locationCounts(key, sum, added, scope.filters, tally));
          groups.delete(key);
          visits.delete(key);
        };
        if (rolledUp !== undefined) {
          const { blocks, keys } = yield* matching(tenant, rolledUp);
          const rows = yield* rollups.blocks(tenant, rolledUp, parts, blocks);
          for (const rowsOfBlock of Map.groupBy(rows, ({ block }) => block).values()) {
            for (const [key, sum] of locationSums(rowsOfBlock, keys)) {
              add(key, sum);
              yield* yieldIfLong;
            }
          }
        }
        for (const key of new Set([...groups.keys(), ...visits.keys()])) {
          add(key, emptySum());
          yield* yieldIfLong;
        }
        return counts;
      });

      /** The distinct devices that entered one of the locations. */
      const entered = Effect.fnUntraced(function* (
        tenant: Tenant,
        { parts, raw, rolledUp }: ScopeSplit,
        keys: ReadonlySet<number>,
      ) {
        const tally = new DeviceTally();
        const yieldIfLong = timeSlices();
        const groups = [
          ...(rolledUp === undefined ? [] : yield* rollups.pendingTransitions(tenant, rolledUp)),
          ...(raw === undefined ? [] : yield* rollups.sourceTransitions(tenant, raw)),
        ];
        for (const { devices, location_key } of groups) {
          if (keys.has(location_key)) for (const device of integersOf(devices)) tally.add(device);
          yield* yieldIfLong;
        }
        const blocks = [...new Set([...keys].map(blockOf))];
        const rows = rolledUp === undefined ? [] : yield* rollups.blocks(tenant, rolledUp, parts, blocks);
        for (const row of rows) {
          for (const { sets } of locationSums([row], keys).values()) {
            for (const [bytes, offset] of sets) tally.addSetAt(bytes, offset);
          }
          yield* yieldIfLong;
        }
        return tally.count;
      });

      return { daily, byLocation, entered };
    }),
  },
) {
  static readonly layer = Layer.effect(EventReader, EventReader.make).pipe(
    Layer.provide(EventReaderSql.layer),
  );
}
