import { Context, Deferred, Effect, Exit, Layer, Metric, Semaphore } from "effect";
import { batched } from "../database/Batched.ts";
import { knownSeries } from "../telemetry/KnownSeries.ts";
import { runSliced } from "../workers/TimeSlices.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { type IndexedLocation, toIndexedLocation } from "./geometry/IndexedLocation.ts";
import { LocationIndex } from "./geometry/LocationIndex.ts";
import { LocationIndexesSql, type LocationRevision } from "./LocationIndexesSql.ts";
import type { LocationKey } from "../wire/Ids.ts";

/** The maximum memory of all indexes, in positions of 16 bytes: 48 MB. A larger index is kept alone. */
const maxMemory = 3_000_000;

/** Locations in one query of revisions. */
const revisionsPerQuery = 5_000;

/** Shapes in one query, and their size in PostgreSQL: some milliseconds of work. */
const shapesPerQuery = 500;
const bytesPerQuery = 128_000;

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

/** The index of one environment. */
interface IndexEntry {
  /** The index has all changes up to this version of the environment's locations. */
  version: number;
  index: LocationIndex;
  /** Completes when the running refresh ends; null if none is running. */
  refresh: Deferred.Deferred<void> | null;
}

const emptyEntry = (): IndexEntry => ({ version: -1, index: LocationIndex.of(new Map()), refresh: null });

/**
 * Location indexes of environments, in memory: read on first use, refreshed when the version of the locations
 * has changed, and evicted, the least recently used first, when others need the memory.
 */
export class LocationIndexes extends Context.Service<
  LocationIndexes,
  {
    /**
     * The index with at least every change that was committed before the call, in any process. A caller that
     * knows a version passes it, and gets every change up to that version.
     */
    readonly current: (tenant: TenantKey, knownVersion?: number) => Effect.Effect<LocationIndex>;
    /** Raises the version, in the transaction that changes locations; the caller has locked the tenant. */
    readonly changed: (tenant: TenantKey) => Effect.Effect<void>;
  }
>()("waypost/locations/LocationIndexes") {
  static readonly layer = Layer.effect(
    LocationIndexes,
    Effect.gen(function* () {
      const repository = yield* LocationIndexesSql;
      const scope = yield* Effect.scope;
      /** The least recently used first. */
      const entries = new Map<string, IndexEntry>();
      const oneAtATime = yield* Semaphore.make(1);

      const versionOf = yield* batched<TenantKey, number, never, never>({
        maxBatch: 500,
        keyOf: ({ workspaceId }) => workspaceId,
        run: Effect.fnUntraced(function* (requested) {
          const tenants = new Map(requested.map((tenant) => [keyOf(tenant), tenant]));
          const rows = yield* repository.versions([...tenants.values()]);
          const versions = new Map(rows.map((row) => [keyOf(row), row.version]));
          return requested.map((tenant) => versions.get(keyOf(tenant)) ?? 0);
        }),
      });

      const revisionsOf = Effect.fnUntraced(function* (tenant: TenantKey) {
        const revisions: Array<LocationRevision> = [];
        for (;;) {
          const page = yield* repository.revisions(tenant, revisions.at(-1)?.id ?? null, revisionsPerQuery);
          revisions.push(...page);
          if (page.length < revisionsPerQuery) return revisions;
        }
      });

      /** The current locations by key; of the known ones, only shapes that have changed are read. */
      const read = Effect.fnUntraced(function* (
        tenant: TenantKey,
        known: ReadonlyMap<LocationKey, IndexedLocation>,
      ) {
        const locations = new Map<LocationKey, IndexedLocation>();
        const changed: Array<LocationRevision> = [];
        for (const row of yield* revisionsOf(tenant)) {
          const location = known.get(row.key);
          if (location?.revision === row.revision) locations.set(row.key, location);
          else changed.push(row);
        }
        for (const ids of shapeBatches(changed)) {
          for (const row of yield* repository.shapes(tenant, ids))
            locations.set(row.key, toIndexedLocation(row));
          yield* Effect.yieldNow;
        }
        return locations;
      });

      const evict = (kept: IndexEntry) => {
        let memory = 0;
        for (const { index } of entries.values()) memory += index.memory;
        for (const [key, entry] of entries) {
          if (memory <= maxMemory) break;
          if (entry === kept || entry.refresh !== null) continue;
          memory -= entry.index.memory;
          entries.delete(key);
        }
        return Effect.andThen(Metric.update(environments, entries.size), Metric.update(positions, memory));
      };

      const refresh = Effect.fnUntraced(function* (tenant: TenantKey, entry: IndexEntry) {
        const began = performance.now();
        // Read first: a change during the reading raises the version, and the next caller refreshes again.
        const version = yield* versionOf(tenant);
        const locations = yield* read(tenant, entry.index.locations);
        yield* Effect.yieldNow;
        entry.index = yield* runSliced(LocationIndex.build(locations));
        entry.version = version;
        yield* Metric.update(builds, (performance.now() - began) / 1000);
        yield* evict(entry);
      });

      /** Starts a refresh, and waits for it. */
      const startRefresh = (tenant: TenantKey, entry: IndexEntry) =>
        Effect.suspend(() => {
          const done = Deferred.makeUnsafe<void>();
          entry.refresh = done;
          // Other requests wait for it too, so it continues when the request that started it is interrupted.
          return Effect.as(
            Effect.forkIn(
              Effect.map(Effect.exit(oneAtATime.withPermits(1)(refresh(tenant, entry))), (exit) => {
                entry.refresh = null;
                Deferred.doneUnsafe(done, Exit.asVoid(exit));
              }),
              scope,
            ),
            done,
          );
        }).pipe(Effect.uninterruptible, Effect.flatMap(Deferred.await));

      return LocationIndexes.of({
        current: Effect.fnUntraced(function* (tenant, knownVersion) {
          const version = knownVersion ?? (yield* versionOf(tenant));
          const key = keyOf(tenant);
          for (;;) {
            const entry = entries.get(key) ?? emptyEntry();
            entries.delete(key);
            entries.set(key, entry);
            if (entry.version >= version) return entry.index;
            yield* entry.refresh === null ? startRefresh(tenant, entry) : Deferred.await(entry.refresh);
          }
        }),

        changed: (tenant) => Effect.asVoid(repository.changed(tenant)),
      });
    }),
  ).pipe(Layer.provide(LocationIndexesSql.layer));
}

const keyOf = ({ environment, workspaceId }: TenantKey): string => `${workspaceId}/${environment}`;

/** The ids of locations, divided by number and size of their shapes. */
function* shapeBatches(rows: ReadonlyArray<LocationRevision>): Generator<ReadonlyArray<string>> {
  let ids: Array<string> = [];
  let bytes = 0;
  for (const row of rows) {
    ids.push(row.id);
    bytes += row.bytes;
    if (ids.length < shapesPerQuery && bytes < bytesPerQuery) continue;
    yield ids;
    ids = [];
    bytes = 0;
  }
  if (ids.length > 0) yield ids;
}
