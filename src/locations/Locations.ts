import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { NotFound } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { LocationIndexes } from "./LocationIndexes.ts";
import { isUnchanged, type LocationPatch, shapeFields } from "./LocationResource.ts";
import { LocationsSql } from "./LocationsSql.ts";

/** Locations of one environment. `LocationImports` creates them. */
export class Locations extends Context.Service<Locations>()("waypost/locations/Locations", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const workspaces = yield* Workspaces;
    const repository = yield* LocationsSql;
    const locationIndexes = yield* LocationIndexes;

    const notFound = NotFound.resource("location");

    const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
      const [location] = isUuid(id) ? yield* repository.find(tenant, id) : [];
      return location ?? (yield* notFound);
    });

    return {
      /** Newest first; `since` in epoch milliseconds, null for no limit. */
      page: (tenant: Tenant, since: number | null, position: PagePosition) =>
        repository.page(tenant, since, position),

      /** @throws 404 */
      find,

      /** Changes the fields that were sent; the shape cannot be changed (contract G1). @throws 404, 422 */
      update: Effect.fn("Locations.update")(
        function* (tenant: Tenant, id: string, body: ParsedBody<LocationPatch>) {
          const { fields, problems } = body;
          yield* workspaces.lock(tenant);
          const location = yield* find(tenant, id);
          const hint = "the shape is changed by importing the location again with its external id";
          for (const field of shapeFields) {
            const sent = fields[field];
            if (sent === undefined || isUnchanged(location, field, sent)) continue;
            const noun = field === "radius_meters" ? "radius" : field;
            problems.add(field, `The ${noun} cannot be changed here: ${hint}. Leave it out.`);
          }
          const externalId = fields.external_id;
          if (externalId !== undefined && externalId !== null) {
            const [holder] = yield* repository.findByExternalId(tenant, externalId);
            if (holder !== undefined && holder.id !== location.id) {
              problems.add(
                "external_id",
                `The external id "${externalId}" belongs to the location ${holder.id}; choose another one.`,
              );
            }
          }
          const { address, external_id, name } = yield* body.complete;
          const now = yield* Clock.currentTimeMillis;
          const rows = yield* repository.update(tenant, id, { name, address, externalId: external_id }, now);
          return rows[0] ?? (yield* notFound);
        },
        (effect) => database.atomically(effect),
      ),

      /** Deletes a location and removes it from its groups and campaigns (contract E12). @throws 404 */
      delete: Effect.fn("Locations.delete")(
        function* (tenant: Tenant, id: string) {
          if (!isUuid(id)) return yield* notFound;
          yield* workspaces.lock(tenant);
          const [deleted] = yield* repository.delete(tenant, id, yield* Clock.currentTimeMillis);
          if (deleted === undefined) return yield* notFound;
          yield* locationIndexes.changed(tenant);
          return deleted;
        },
        (effect) => database.atomically(effect),
      ),

      /**
       * Which of the ids are locations of this environment, in lower case. Within a transaction, they cannot
       * be deleted until it ends; a caller that also locks the tenant locks it first.
       */
      existing: (tenant: Tenant, ids: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>> => {
        const uuids = ids.filter(isUuid);
        return uuids.length === 0
          ? Effect.succeed(new Set())
          : Effect.map(repository.hold(tenant, uuids), (rows) => new Set(rows.map((row) => row.id)));
      },
    };
  }),
}) {
  static readonly layer = Layer.effect(Locations, Locations.make).pipe(Layer.provide(LocationsSql.layer));
}
