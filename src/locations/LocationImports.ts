import { Clock, Context, Effect, Layer } from "effect";
import { Activity } from "../activity/Activity.ts";
import { Database } from "../database/Database.ts";
import { idAt } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { RejectedFeature } from "./GeoJsonImport.ts";
import type { ImportedLocation } from "./ImportedLocation.ts";
import { type ImportPlan, planImport, statementRows, summaryOf } from "./ImportPlan.ts";
import type { StoredShape } from "./LocationEdit.ts";
import type { ImportReport } from "./LocationImport.ts";
import { LocationGroups } from "./LocationGroups.ts";
import { LocationGroupsSql } from "./LocationGroupsSql.ts";
import { LocationsSql } from "./LocationsSql.ts";
import { LocationImportsSql } from "./LocationImportsSql.ts";
import { LocationIndexes } from "./LocationIndexes.ts";
import type { LocationResource } from "./LocationResource.ts";

/** GeoJSON imports, the only way to create locations, and what single changes have in common with them. */
export class LocationImports extends Context.Service<LocationImports>()("waypost/locations/LocationImports", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const workspaces = yield* Workspaces;
    const repository = yield* LocationImportsSql;
    const { leave } = yield* LocationGroupsSql;
    const { count } = yield* LocationsSql;
    const locationGroups = yield* LocationGroups;
    const locationIndexes = yield* LocationIndexes;
    const activity = yield* Activity;

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
      const context = {
        known: externalIds.size === 0 ? new Map() : yield* repository.known(tenant, [...externalIds]),
        count: limit === null ? 0 : yield* count(tenant),
        limit,
      };
      return planImport(features, context, () => idAt(now));
    });

    /** The ids of groups by name; creates those that are missing. */
    const groupsOf = Effect.fnUntraced(function* (tenant: Tenant, names: ReadonlySet<string>, now: number) {
      const known = yield* locationGroups.idsByName(tenant, [...names]);
      const missing = new Map(
        [...names].filter((name) => !known.has(name)).map((name) => [name, idAt(now)] as const),
      );
      if (missing.size > 0) yield* locationGroups.insert(tenant, missing, now);
      return new Map([...known, ...missing]);
    });

    const join = Effect.fnUntraced(function* (
      tenant: Tenant,
      memberships: ImportPlan["memberships"],
      now: number,
    ) {
      const groups = yield* groupsOf(tenant, new Set(memberships.map(({ group }) => group)), now);
      const members = memberships.map(({ group, id }) => ({
        groupId: groups.get(group) ?? "",
        locationId: id,
      }));
      yield* locationGroups.join(tenant, members, now);
    });

    const write = Effect.fnUntraced(function* (
      tenant: Tenant,
      { creations, memberships, updates }: ImportPlan,
      now: number,
    ) {
      for (const rows of statementRows(updates)) yield* repository.update(tenant, rows, now);
      for (const rows of statementRows(creations)) yield* repository.insert(tenant, rows, now);
      if (memberships.length > 0) yield* join(tenant, memberships, now);
      if (updates.length + creations.length > 0) yield* locationIndexes.changed(tenant);
    });

    /** One entry for the whole import. */
    const recordCounts = (tenant: Tenant, { results }: ImportPlan) =>
      activity.record(tenant, {
        action: "import",
        resource: { type: "location", id: null, name: null },
        before: null,
        after: summaryOf(results),
      });

    return {
      /** Gives a location another shape. Call it in the transaction of the change, which locks the tenant. */
      reshape: Effect.fnUntraced(function* (
        tenant: Tenant,
        { id, name }: LocationResource,
        shape: StoredShape,
        now: number,
      ) {
        const texts = { _tag: "ParsedFeature", name, externalId: null, group: null } as const;
        yield* repository.update(tenant, [{ id, location: { ...texts, ...shape } }], now);
        yield* locationIndexes.changed(tenant);
      }),

      /** Puts a location into exactly the groups with these names. Call it as `reshape`. */
      regroup: Effect.fnUntraced(function* (
        tenant: Tenant,
        locationId: string,
        names: ReadonlySet<string>,
        now: number,
      ) {
        const groupIds = [...(yield* groupsOf(tenant, names, now)).values()];
        yield* leave(tenant, locationId, groupIds, now);
        const members = groupIds.map((groupId) => ({ groupId, locationId }));
        if (members.length > 0) yield* locationGroups.join(tenant, members, now);
      }),

      /**
       * Creates and updates locations in one transaction; an invalid feature fails alone (contract G2–G6). A
       * dry run writes nothing and gives the same results, without ids for what it would create.
       */
      run: Effect.fn("LocationImports.run")(function* (
        tenant: Tenant,
        locations: ReadonlyArray<ImportedLocation | RejectedFeature>,
        isDryRun: boolean,
      ) {
        const now = yield* Clock.currentTimeMillis;
        const { results, ...room } = isDryRun
          ? yield* Effect.map(plan(tenant, locations, now), dryRunOf)
          : yield* database.atomically(
              Effect.gen(function* () {
                yield* workspaces.lock(tenant);
                const planned = yield* plan(tenant, locations, now);
                yield* write(tenant, planned, now);
                if (isWritten(planned)) yield* recordCounts(tenant, planned);
                return { results: planned.results };
              }),
            );
        return { dry_run: isDryRun, ...room, results, summary: summaryOf(results) } satisfies ImportReport;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(LocationImports, LocationImports.make);
}

const isWritten = ({ creations, memberships, updates }: ImportPlan): boolean =>
  creations.length + updates.length + memberships.length > 0;

/** The results without the ids of new locations, and the room that the plan has left. */
const dryRunOf = ({ creations, results, room }: ImportPlan): Pick<ImportPlan, "results" | "room"> => {
  const newIds = new Set(creations.map(({ id }) => id));
  const shown = results.map(({ id, ...result }) =>
    id === undefined || newIds.has(id) ? result : { ...result, id },
  );
  return { results: shown, room };
};
