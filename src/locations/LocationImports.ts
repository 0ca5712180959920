import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import { idAt } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { mapSliced } from "../workers/TimeSlices.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { RejectedFeature } from "./GeoJsonImport.ts";
import {
  type ImportedLocation,
  importedLocation,
  type ImportPlan,
  planImport,
  summaryOf,
} from "./ImportPlan.ts";
import type { FeatureCollection, ImportReport } from "./LocationImport.ts";
import { LocationImportsSql } from "./LocationImportsSql.ts";
import { LocationIndexes } from "./LocationIndexes.ts";

/** GeoJSON imports, the only way to create locations and groups. */
export class LocationImports extends Context.Service<LocationImports>()("waypost/locations/LocationImports", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const workspaces = yield* Workspaces;
    const repository = yield* LocationImportsSql;
    const locationIndexes = yield* LocationIndexes;

    const plan = Effect.fnUntraced(function* (
      tenant: Tenant,
      features: ReadonlyArray<ImportedLocation | RejectedFeature>,
      now: number,
    ) {
      const limit = tenant.workspace.plan.max_locations;
      const externalIds = new Set<string>();
      for (const feature of features) {
        if (feature._tag === "ParsedFeature" && feature.externalId !== null)
          externalIds.add(feature.externalId);
      }
      const known = externalIds.size === 0 ? [] : yield* repository.known(tenant, [...externalIds]);
      const [counted] = limit === null ? [] : yield* repository.count(tenant);
      const context = {
        known: new Map(known.map((row) => [row.external_id, row.id])),
        count: counted?.held ?? 0,
        limit,
      };
      return planImport(features, context, () => idAt(now));
    });

    /** The ids of groups by name; creates those that are missing. */
    const groupsOf = Effect.fnUntraced(function* (tenant: Tenant, names: ReadonlySet<string>, now: number) {
      const rows = yield* repository.knownGroups(tenant, [...names]);
      const groups = new Map(rows.map((row) => [row.name, row.id]));
      const missing = [...names].filter((name) => !groups.has(name));
      for (const name of missing) groups.set(name, idAt(now));
      const ids = missing.map((name) => groups.get(name) ?? "");
      if (missing.length > 0) yield* repository.insertGroups(tenant, ids, missing, now);
      return groups;
    });

    const join = Effect.fnUntraced(function* (
      tenant: Tenant,
      memberships: ImportPlan["memberships"],
      now: number,
    ) {
      const groups = yield* groupsOf(tenant, new Set(memberships.map(({ group }) => group)), now);
      const groupIds = memberships.map(({ group }) => groups.get(group) ?? "");
      const locationIds = memberships.map(({ id }) => id);
      const grown = yield* repository.join(tenant, groupIds, locationIds);
      if (grown.length === 0) return;
      yield* repository.touch(
        tenant,
        grown.map((row) => row.group_id),
        now,
      );
    });

    const write = Effect.fnUntraced(function* (
      tenant: Tenant,
      { creations, memberships, updates }: ImportPlan,
      now: number,
    ) {
      if (updates.length > 0) yield* repository.update(tenant, updates, now);
      if (creations.length > 0) yield* repository.insert(tenant, creations, now);
      if (memberships.length > 0) yield* join(tenant, memberships, now);
      if (updates.length + creations.length > 0) yield* locationIndexes.changed(tenant);
    });

    return {
      /**
       * Creates and updates locations in one transaction; an invalid feature fails alone (contract G2–G6). A
       * dry run writes nothing and gives the same results, without ids for what it would create. @throws 422
       */
      run: Effect.fn("LocationImports.run")(function* (
        tenant: Tenant,
        body: ParsedBody<FeatureCollection>,
        isDryRun: boolean,
      ) {
        const { features } = yield* body.complete;
        // Reading large polygons takes seconds: the transaction of an Idempotency-Key must not stay open.
        const locations = yield* outsideTransaction("features", mapSliced(features, importedLocation));
        const now = yield* Clock.currentTimeMillis;
        const results = isDryRun
          ? withoutNewIds(yield* plan(tenant, locations, now))
          : yield* database.atomically(
              Effect.gen(function* () {
                yield* workspaces.lock(tenant);
                const planned = yield* plan(tenant, locations, now);
                yield* write(tenant, planned, now);
                return planned.results;
              }),
            );
        return { dry_run: isDryRun, results, summary: summaryOf(results) } satisfies ImportReport;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(LocationImports, LocationImports.make).pipe(
    Layer.provide(LocationImportsSql.layer),
  );
}

const withoutNewIds = ({ creations, results }: ImportPlan): ImportPlan["results"] => {
  const newIds = new Set(creations.map(({ id }) => id));
  return results.map(({ id, ...result }) =>
    id === undefined || newIds.has(id) ? result : { ...result, id },
  );
};
