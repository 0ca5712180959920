import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { NotFound } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { isUnchanged, type LocationPatch, shapeFields } from "./LocationResource.ts";
import { LocationsSql } from "./LocationsSql.ts";
import { LocationIndexes } from "./LocationIndexes.ts";

/** The locations of an environment; what makes them is `LocationImports`. */
export class Locations extends Context.Service<Locations>()("waypost/locations/Locations", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const workspaces = yield* Workspaces;
    const repository = yield* LocationsSql;
    const places = yield* LocationIndexes;

    const notFound = NotFound.resource("location");

    const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
      const [location] = isUuid(id) ? yield* repository.find(tenant, id) : [];
      return location ?? (yield* notFound);
    });

    return {
      /** Newest first; `since` in epoch milliseconds, null for all. */
      page: (tenant: Tenant, since: number | null, position: PagePosition) =>
        repository.page(tenant, since, position),

      /** @throws 404 */
      find,

      /** Takes what was sent and keeps the rest; the shape stays (contract G1). @throws 404, 422 */
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

      /** Also takes it out of its groups and off the campaigns that target it (contract E12). @throws 404 */
      delete: Effect.fn("Locations.delete")(
        function* (tenant: Tenant, id: string) {
          if (!isUuid(id)) return yield* notFound;
          yield* workspaces.lock(tenant);
          const [gone] = yield* repository.delete(tenant, id, yield* Clock.currentTimeMillis);
          if (gone === undefined) return yield* notFound;
          yield* places.changed(tenant);
          return gone;
        },
        (effect) => database.atomically(effect),
      ),

      /**
       * Those of the ids that are locations of this environment, in lower case. In a transaction they stay until it ends; who also
       * locks the tenant locks it first.
       */
      existing: (tenant: Tenant, ids: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>> => {
        const possible = ids.filter(isUuid);
        return possible.length === 0
          ? Effect.succeed(new Set())
          : Effect.map(repository.hold(tenant, possible), (rows) => new Set(rows.map((row) => row.id)));
      },
    };
  }),
}) {
  static readonly layer = Layer.effect(Locations, Locations.make).pipe(Layer.provide(LocationsSql.layer));
}
