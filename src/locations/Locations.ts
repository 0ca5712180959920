import { Clock, Context, Effect, Layer } from "effect";
import { Activity, type ResourceChange } from "../activity/Activity.ts";
import { Database } from "../database/Database.ts";
import { LongReads } from "../database/LongReads.ts";
import { oneAtATime } from "../database/SharedWork.ts";
import { NotFound, type ServiceUnavailable, type Unprocessable } from "../wire/ApiError.ts";
import type { DeletedResource } from "../wire/Envelope.ts";
import { isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { runSliced } from "../workers/TimeSlices.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { RejectedFeature } from "./GeoJsonImport.ts";
import type { ImportedLocation } from "./ImportedLocation.ts";
import { changedGroups, changedShape } from "./LocationEdit.ts";
import { LocationImports } from "./LocationImports.ts";
import { LocationIndexes } from "./LocationIndexes.ts";
import type { SentLocationPatch, LocationResource } from "./LocationResource.ts";
import type { LocationSearch } from "./LocationSearch.ts";
import { type LocationFilters, LocationsRepository } from "./LocationsRepository.ts";

/** Locations near a position that are looked up for one page: more than any page has. */
const nearCandidates = 1_000;

/** The newest `count` ids below `before`, and perhaps some older ones; can be suspended where it yields. */
function* newest(
  locations: ReadonlySet<{ readonly id: string }>,
  before: string | null,
  count: number,
): Generator<undefined, ReadonlyArray<string>> {
  let ids: Array<string> = [];
  let oldest = "";
  for (const { id } of locations) {
    if (id < oldest || (before !== null && id >= before)) continue;
    if (ids.push(id) < 2 * count) continue;
    ids = ids.toSorted().slice(-count);
    oldest = ids[0] ?? "";
    yield;
  }
  return ids;
}

/** Locations of one environment. `LocationImports` creates them. */
export class Locations extends Context.Service<
  Locations,
  {
    /** Newest first. @throws 503 */
    readonly page: (
      tenant: Tenant,
      search: LocationSearch,
      position: PagePosition,
    ) => Effect.Effect<ReadonlyArray<LocationResource>, ServiceUnavailable>;
    /**
     * The points of all that are selected, newest first, as the JSON text of a response, and its version.
     * @throws 503
     */
    readonly points: (
      tenant: Tenant,
      filters: LocationFilters,
    ) => Effect.Effect<{ readonly text: string; readonly version: string }, ServiceUnavailable>;
    /** @throws 404 */
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<LocationResource, NotFound>;
    /**
     * Changes the fields that were sent (contract G1, CO2). `geometry` is the sent one as an import reads it;
     * null without one. @throws 404, 422
     */
    readonly update: (
      tenant: Tenant,
      id: string,
      body: ParsedBody<SentLocationPatch>,
      geometry: ImportedLocation | RejectedFeature | null,
    ) => Effect.Effect<LocationResource, NotFound | Unprocessable>;
    /** Deletes a location and removes it from its groups and campaigns (contract E12). @throws 404 */
    readonly delete: (tenant: Tenant, id: string) => Effect.Effect<DeletedResource, NotFound>;
    /**
     * Which of the ids are locations of this environment, in lower case. They cannot be deleted while the
     * tenant is locked.
     */
    readonly existing: (tenant: Tenant, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>;
  }
>()("waypost/locations/Locations") {
  static readonly layer = Layer.effect(
    Locations,
    Effect.gen(function* () {
      const database = yield* Database;
      const workspaces = yield* Workspaces;
      const repository = yield* LocationsRepository;
      const imports = yield* LocationImports;
      const locationIndexes = yield* LocationIndexes;
      const activity = yield* Activity;
      const longReads = yield* LongReads;

      const notFound = NotFound.resource("location");

      const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const location = isUuid(id) ? yield* repository.find(tenant, id) : null;
        return location ?? (yield* notFound);
      });

      return Locations.of({
        page: Effect.fn("Locations.page")(
          function* (tenant, search, position) {
            const { near, ...filters } = search;
            if (near === null) return yield* repository.page(tenant, filters, position);
            const index = yield* locationIndexes.current(tenant);
            const found = yield* runSliced(index.within([near.longitude, near.latitude], near.meters));
            const isFiltered = Object.values(filters).some((value) => (value ?? null) !== null);
            // The newest suffice where nothing else selects.
            const count = isFiltered ? Infinity : nearCandidates;
            const ids = yield* runSliced(newest(found, position.before, count));
            return yield* repository.page(tenant, { ...filters, ids }, position);
          },
          (page, { workspaceId }, { near, search }) => {
            if (near !== null) return longReads.run(workspaceId, page);
            return search === null ? page : oneAtATime(workspaceId, page);
          },
        ),

        points: Effect.fn("Locations.points")(
          function* (tenant, filters) {
            const { count, points, version } = yield* repository.points(tenant, filters);
            return { text: `{"data":${points},"meta":{"count":${count}}}`, version };
          },
          (points, { workspaceId }) => longReads.run(workspaceId, points),
        ),

        find,

        update: Effect.fn("Locations.update")(function* (tenant, id, body, geometry) {
          const { fields, problems } = body;
          yield* workspaces.lock(tenant);
          const location = yield* find(tenant, id);
          const shape = changedShape(location, fields, geometry, problems);
          const groups = changedGroups(location, fields.groups, problems);
          const externalId = fields.external_id;
          if (externalId !== undefined && externalId !== null) {
            const holder = yield* repository.findByExternalId(tenant, externalId);
            if (holder !== null && holder !== location.id) {
              problems.add(
                "external_id",
                `The external id "${externalId}" belongs to the location ${holder}; choose another one.`,
              );
            }
          }
          const { address, external_id, name } = yield* body.complete;
          const now = yield* Clock.currentTimeMillis;
          if (shape !== null) yield* imports.reshape(tenant, location, shape, now);
          if (groups !== null) yield* imports.regroup(tenant, location.id, groups, now);
          const change = { name, address, externalId: external_id };
          const updated = (yield* repository.update(tenant, location.id, change, now)) ?? (yield* notFound);
          yield* activity.record(tenant, locationChange("update", location, updated));
          return updated;
        }, database.atomically),

        delete: Effect.fn("Locations.delete")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const location = yield* find(tenant, id);
          yield* repository.delete(tenant, location.id, yield* Clock.currentTimeMillis);
          yield* locationIndexes.changed(tenant);
          yield* activity.record(tenant, locationChange("delete", location, null));
          return { id: location.id, deleted: true as const };
        }, database.atomically),

        existing: (tenant, ids) => {
          const uuids = ids.filter(isUuid);
          return uuids.length === 0 ? Effect.succeed(new Set()) : repository.existing(tenant, uuids);
        },
      });
    }),
  );
}

/** The fields that activity shows. The shape of a deleted location is left out: it can be long. */
const recorded = ({ geometry, ...fields }: LocationResource, isDeleted: boolean) =>
  isDeleted ? fields : { ...fields, geometry };

const locationChange = (
  action: "update" | "delete",
  before: LocationResource,
  after: LocationResource | null,
): ResourceChange => ({
  action,
  resource: { type: "location", id: before.id, name: (after ?? before).name },
  before: recorded(before, after === null),
  after: after && recorded(after, false),
});
