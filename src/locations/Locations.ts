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
import { checkSameShape, type ReadGeometry, readGroups, readShape } from "./LocationEdit.ts";
import { LocationImports } from "./LocationImports.ts";
import { LocationIndexes } from "./LocationIndexes.ts";
import type { LocationResource, SentLocation, SentLocationPatch } from "./LocationResource.ts";
import type { LocationSearch } from "./LocationSearch.ts";
import { type LocationFilters, LocationsSql } from "./LocationsSql.ts";

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

/** A change of a location. `geometry` is the sent one as an import reads it. @throws 404, 422 */
export type Change<Body extends object> = (
  tenant: Tenant,
  id: string,
  body: ParsedBody<Body>,
  geometry: ReadGeometry,
) => Effect.Effect<LocationResource, NotFound | Unprocessable>;

/** Locations of one environment. `LocationImports` creates them. */
export class Locations extends Context.Service<
  Locations,
  {
    /** How many locations the environment has. */
    readonly count: (tenant: Tenant) => Effect.Effect<number>;
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
    /** Changes the texts that were sent (contract G1, LO1). */
    readonly update: Change<SentLocationPatch>;
    /** Gives a location another shape (contract LO2). */
    readonly setShape: Change<SentLocation>;
    /** Puts a location into exactly the sent groups (contract LO3). */
    readonly setGroups: Change<SentLocation>;
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
      const repository = yield* LocationsSql;
      const imports = yield* LocationImports;
      const locationIndexes = yield* LocationIndexes;
      const activity = yield* Activity;
      const longReads = yield* LongReads;

      const notFound = NotFound.resource("location");

      const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const location = isUuid(id) ? yield* repository.find(tenant, id) : null;
        return location ?? (yield* notFound);
      });

      const lock = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        yield* workspaces.lock(tenant);
        return { location: yield* find(tenant, id), now: yield* Clock.currentTimeMillis };
      });

      const recorded = Effect.fnUntraced(function* (tenant: Tenant, before: LocationResource) {
        const after = yield* find(tenant, before.id);
        yield* activity.record(tenant, locationChange("update", before, after));
        return after;
      });

      return Locations.of({
        count: repository.count,

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
          const { location, now } = yield* lock(tenant, id);
          checkSameShape(location, fields, geometry, problems);
          const holder =
            typeof fields.external_id === "string"
              ? yield* repository.findByExternalId(tenant, fields.external_id)
              : null;
          if (holder !== null && holder !== location.id) {
            const taken = `The external id "${fields.external_id}" belongs to the location ${holder}`;
            problems.add("external_id", `${taken}; choose another one.`);
          }
          const { address = location.address, name = location.name, ...sent } = yield* body.complete;
          const { external_id: externalId = location.external_id } = sent;
          const isKept =
            name === location.name && address === location.address && externalId === location.external_id;
          if (isKept) return location;
          yield* repository.update(tenant, location.id, { name, address, externalId }, now);
          return yield* recorded(tenant, location);
        }, database.atomically),

        setShape: Effect.fn("Locations.setShape")(function* (tenant, id, body, geometry) {
          const { location, now } = yield* lock(tenant, id);
          const shape = readShape(body.fields, geometry, body.problems);
          yield* body.complete;
          if (shape !== null) yield* imports.reshape(tenant, location, shape, now);
          return yield* recorded(tenant, location);
        }, database.atomically),

        setGroups: Effect.fn("Locations.setGroups")(function* (tenant, id, body) {
          const { location, now } = yield* lock(tenant, id);
          const names = readGroups(body.fields.groups, body.problems);
          yield* body.complete;
          if (names !== null) yield* imports.regroup(tenant, location.id, names, now);
          const { address, external_id: externalId, name } = location;
          yield* repository.update(tenant, location.id, { name, address, externalId }, now);
          return yield* recorded(tenant, location);
        }, database.atomically),

        delete: Effect.fn("Locations.delete")(function* (tenant, id) {
          const { location, now } = yield* lock(tenant, id);
          yield* repository.delete(tenant, location.id, now);
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
