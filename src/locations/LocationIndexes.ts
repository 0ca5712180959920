import { Context, Deferred, Effect, Exit, Layer, Semaphore } from "effect";
import { batched } from "../database/Batched.ts";
import { type IndexedLocation, toIndexedLocation } from "./geometry/IndexedLocation.ts";
import { LocationIndex } from "./geometry/LocationIndex.ts";
import { noteBuild, noteHeld } from "./LocationIndexMetrics.ts";
import { type LocationMark, type TenantKey, LocationIndexesSql } from "./LocationIndexesSql.ts";

/** Positions of places that are held in memory, in all: 48 MB. An environment that is larger alone is held alone. */
const mostHeld = 3_000_000;
/** Places whose marks are read at once. */
const marksAtOnce = 5_000;
/** Shapes that are read at once: so many, or so many bytes as PostgreSQL stores them, which is some milliseconds of work. */
const shapesAtOnce = 500;
const bytesAtOnce = 128_000;

/** For how long an index is made before others get their turn, in milliseconds. */
const turn = 5;

/** The places of one environment in memory. */
interface Held {
  /** The version of the places that the index holds at least. */
  version: number;
  index: LocationIndex;
  /** Done when the index that is being made is there. */
  making: Deferred.Deferred<void> | null;
}

/**
 * The places of environments, in memory: read when first asked for, brought up to date when their version has changed, and forgotten
 * when others need the room.
 */
export class LocationIndexes extends Context.Service<LocationIndexes>()("waypost/locations/LocationIndexes", {
  make: Effect.gen(function* () {
    const repository = yield* LocationIndexesSql;
    const scope = yield* Effect.scope;
    // Those asked for last come last.
    const held = new Map<string, Held>();
    const oneAtATime = yield* Semaphore.make(1);

    const versionOf = yield* batched<TenantKey, number, never, never>(
      500,
      Effect.fnUntraced(function* (all) {
        const asked = new Map<string, { readonly of: TenantKey; readonly places: Array<number> }>();
        all.forEach((of, place) => {
          const key = keyOf(of);
          const known = asked.get(key);
          if (known === undefined) asked.set(key, { of, places: [place] });
          else known.places.push(place);
        });
        const different = [...asked.values()];
        const versions: Array<number> = all.map(() => 0);
        for (const { ord, version } of yield* repository.versions(different.map(({ of }) => of))) {
          for (const place of different[ord - 1]?.places ?? []) versions[place] = version;
        }
        return versions;
      }),
    );

    const marksOf = Effect.fnUntraced(function* (of: TenantKey) {
      const marks: Array<LocationMark> = [];
      for (;;) {
        const page = yield* repository.marks(of, marks.at(-1)?.id ?? null, marksAtOnce);
        marks.push(...page);
        if (page.length < marksAtOnce) return marks;
      }
    });

    /** The places as they are now; shapes that are held and have not changed are not read again. */
    const read = Effect.fnUntraced(function* (of: TenantKey, known: ReadonlyMap<number, IndexedLocation>) {
      const places = new Map<number, IndexedLocation>();
      let missing: Array<string> = [];
      let bytes = 0;
      const fetch = Effect.fnUntraced(function* () {
        const ids = missing;
        missing = [];
        bytes = 0;
        for (const row of yield* repository.shapes(of, ids)) places.set(row.key, toIndexedLocation(row));
        yield* Effect.yieldNow;
      });
      for (const mark of yield* marksOf(of)) {
        const place = known.get(mark.key);
        if (place?.revision === mark.revision) {
          places.set(mark.key, place);
          continue;
        }
        missing.push(mark.id);
        bytes += mark.bytes;
        if (missing.length >= shapesAtOnce || bytes >= bytesAtOnce) yield* fetch();
      }
      if (missing.length > 0) yield* fetch();
      return places;
    });

    /** Lets go of those that were asked for longest ago, until the rest fits. */
    const makeRoom = (kept: Held) => {
      let weight = 0;
      for (const { index } of held.values()) weight += index.weight;
      for (const [key, entry] of held) {
        if (weight <= mostHeld) break;
        if (entry === kept || entry.making !== null) continue;
        weight -= entry.index.weight;
        held.delete(key);
      }
      return noteHeld(held.size, weight);
    };

    const bringUpToDate = Effect.fnUntraced(function* (of: TenantKey, entry: Held) {
      const began = performance.now();
      // The version first: what changes while the places are read is read again for whoever needs it.
      const version = yield* versionOf(of);
      const places = yield* read(of, entry.index.places);
      yield* Effect.yieldNow;
      const making = LocationIndex.making(places);
      let step = making.next();
      for (let turned = performance.now(); step.done !== true; step = making.next()) {
        if (performance.now() - turned < turn) continue;
        yield* Effect.yieldNow;
        turned = performance.now();
      }
      entry.index = step.value;
      entry.version = version;
      yield* noteBuild(performance.now() - began);
      yield* makeRoom(entry);
    });

    const make = Effect.fnUntraced(function* (of: TenantKey, entry: Held) {
      const made = Deferred.makeUnsafe<void>();
      entry.making = made;
      // Others wait for it too, so it goes on when the request that began it is gone.
      yield* Effect.forkIn(
        Effect.map(Effect.exit(oneAtATime.withPermits(1)(bringUpToDate(of, entry))), (exit) => {
          entry.making = null;
          Deferred.doneUnsafe(made, Exit.asVoid(exit));
        }),
        scope,
      );
      return yield* Deferred.await(made);
    });

    return {
      /**
       * The places as they are now or later: a change that was answered before this is asked is in it, in whatever process it was
       * made. So it is for whoever knows the version of a moment and gives it, by that moment.
       */
      current: Effect.fnUntraced(function* (of: TenantKey, known?: number) {
        const version = known ?? (yield* versionOf(of));
        const key = keyOf(of);
        for (;;) {
          const entry = held.get(key) ?? { version: -1, index: LocationIndex.of(new Map()), making: null };
          held.delete(key);
          held.set(key, entry);
          if (entry.version >= version) return entry.index;
          yield* entry.making === null ? make(of, entry) : Deferred.await(entry.making);
        }
      }),

      /** Notes a change of places in its transaction; whoever makes one holds the tenant's lock. */
      changed: (of: TenantKey) => Effect.asVoid(repository.changed(of)),
    };
  }),
}) {
  static readonly layer = Layer.effect(LocationIndexes, LocationIndexes.make).pipe(
    Layer.provide(LocationIndexesSql.layer),
  );
}

const keyOf = ({ environment, workspaceId }: TenantKey): string => `${workspaceId}/${environment}`;
