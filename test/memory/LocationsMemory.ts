import { Effect, Layer } from "effect";
import { MemoryStore, type MemoryTransaction, memoryTable, pageOf } from "./MemoryStore.ts";
import { utcText } from "../../src/time/LocalTime.ts";
import { isFound } from "../../src/wire/SearchText.ts";
import { tenantRow, tenantRows } from "./TenantRows.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";
import type { ImportedLocation } from "../../src/locations/ImportedLocation.ts";
import type { Ring } from "../../src/locations/Location.ts";
import type { LocationGroup } from "../../src/locations/LocationGroup.ts";
import { LocationGroupsRepository } from "../../src/locations/LocationGroupsRepository.ts";
import { LocationImportsRepository } from "../../src/locations/LocationImportsRepository.ts";
import type { LocationResource } from "../../src/locations/LocationResource.ts";
import { type LocationFilters, LocationsRepository } from "../../src/locations/LocationsRepository.ts";

interface StoredLocation extends TenantKey {
  readonly id: string;
  readonly name: string;
  readonly externalId: string | null;
  readonly address: string | null;
  readonly shape: Pick<ImportedLocation, "type" | "latitude" | "longitude" | "radiusMeters" | "rings">;
  readonly groupIds: ReadonlySet<string>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface StoredGroup extends TenantKey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const locations = memoryTable<StoredLocation>("location");
const groups = memoryTable<StoredGroup>("location_group");

/** Orders texts by code points, as the collation "C" does. */
const byCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const toResource = (tables: MemoryTransaction, stored: StoredLocation): LocationResource => {
  const { latitude, longitude, radiusMeters, rings, type } = stored.shape;
  const names = [...stored.groupIds].flatMap((id) => tables.rows(groups).get(id)?.name ?? []);
  return {
    id: stored.id,
    name: stored.name,
    external_id: stored.externalId,
    address: stored.address,
    type,
    geometry:
      rings === null
        ? { type: "Point", coordinates: [longitude, latitude] }
        : { type: "Polygon", coordinates: JSON.parse(rings) as ReadonlyArray<Ring> },
    radius_meters: type === "circle" ? radiusMeters : null,
    groups: names.toSorted(byCodePoints),
    created_at: utcText(stored.createdAt),
    updated_at: utcText(stored.updatedAt),
  };
};

const toGroup = (tables: MemoryTransaction, stored: StoredGroup): LocationGroup => ({
  id: stored.id,
  name: stored.name,
  location_count: tables.filter(locations, ({ groupIds }) => groupIds.has(stored.id)).length,
  created_at: utcText(stored.createdAt),
  updated_at: utcText(stored.updatedAt),
});

const isSelected = (
  tables: MemoryTransaction,
  row: StoredLocation,
  { externalId = null, group = null, ids = null, search = null, updatedSince = null }: LocationFilters,
): boolean =>
  (updatedSince === null || row.updatedAt >= updatedSince) &&
  (externalId === null || row.externalId === externalId) &&
  (search === null || isFound(search, row.name)) &&
  (ids === null || ids.includes(row.id)) &&
  (group === null || [...row.groupIds].some((id) => tables.rows(groups).get(id)?.name === group));

const touch = (tables: MemoryTransaction, groupIds: Iterable<string>, now: number): void => {
  for (const id of groupIds) {
    const group = tables.rows(groups).get(id);
    if (group !== undefined) tables.put(groups, id, { ...group, updatedAt: now });
  }
};

/** Locations in memory. */
export const locationsMemory = Layer.effect(
  LocationsRepository,
  Effect.map(MemoryStore, (store) =>
    LocationsRepository.of({
      page: (tenant, filters, position) =>
        store.read((tables) =>
          pageOf(
            tenantRows(tables, locations, tenant).filter((row) => isSelected(tables, row, filters)),
            position,
          ).map((row) => toResource(tables, row)),
        ),

      points: (tenant, filters) =>
        store.read((tables) => {
          const rows = tenantRows(tables, locations, tenant)
            .filter((row) => isSelected(tables, row, filters))
            .toSorted((a, b) => (a.id < b.id ? 1 : -1));
          const points = rows.map(({ id, shape: { latitude, longitude, radiusMeters, rings } }) => [
            id,
            longitude,
            latitude,
            rings === null ? radiusMeters : null,
          ]);
          return {
            points: JSON.stringify(points),
            count: rows.length,
            version: String(rows.reduce((sum, { updatedAt }) => sum + updatedAt, 0)),
          };
        }),

      find: (tenant, id) =>
        store.read((tables) => {
          const row = tenantRow(tables, locations, tenant, id);
          return row && toResource(tables, row);
        }),

      findByExternalId: (tenant, externalId) =>
        store.read(
          (tables) =>
            tenantRows(tables, locations, tenant).find((row) => row.externalId === externalId)?.id ?? null,
        ),

      update: (tenant, id, { address, externalId, name }, now) =>
        store.write((tables) => {
          const row = tenantRow(tables, locations, tenant, id);
          if (row === null) return null;
          const changed = {
            ...row,
            name: name ?? row.name,
            address: address === undefined ? row.address : address,
            externalId: externalId === undefined ? row.externalId : externalId,
            updatedAt: now,
          };
          return toResource(tables, tables.put(locations, id, changed));
        }),

      delete: (tenant, id, now) =>
        store.write((tables) => {
          const row = tenantRow(tables, locations, tenant, id);
          if (row === null) return false;
          touch(tables, row.groupIds, now);
          return tables.delete(locations, id);
        }),

      existing: (tenant, ids) =>
        store.read(
          (tables) => new Set(ids.filter((id) => tenantRow(tables, locations, tenant, id) !== null)),
        ),
    }),
  ),
);

/** Location groups in memory. */
export const locationGroupsMemory = Layer.effect(
  LocationGroupsRepository,
  Effect.map(MemoryStore, (store) =>
    LocationGroupsRepository.of({
      page: (tenant, name, position) =>
        store.read((tables) =>
          pageOf(
            tenantRows(tables, groups, tenant).filter((row) => name === null || row.name === name),
            position,
          ).map((row) => toGroup(tables, row)),
        ),

      find: (tenant, id) =>
        store.read((tables) => {
          const row = tenantRow(tables, groups, tenant, id);
          return row && toGroup(tables, row);
        }),

      existing: (tenant, ids) =>
        store.read((tables) => new Set(ids.filter((id) => tenantRow(tables, groups, tenant, id) !== null))),

      idsByName: (tenant, names) =>
        store.read(
          (tables) =>
            new Map(
              tenantRows(tables, groups, tenant)
                .filter(({ name }) => names.includes(name))
                .map(({ id, name }) => [name, id]),
            ),
        ),
    }),
  ),
);

/** The writes of imports in memory. */
export const locationImportsMemory = Layer.effect(
  LocationImportsRepository,
  Effect.map(MemoryStore, (store) =>
    LocationImportsRepository.of({
      known: (tenant, externalIds) =>
        store.read((tables) => {
          const wanted = new Set<string | null>(externalIds);
          const rows = tenantRows(tables, locations, tenant).filter((row) => wanted.has(row.externalId));
          return new Map(rows.map(({ externalId, id }) => [externalId ?? "", id]));
        }),

      count: (tenant) => store.read((tables) => tenantRows(tables, locations, tenant).length),

      insert: ({ environment, workspaceId }, rows, now) =>
        store.write((tables) => {
          for (const { id, location } of rows) {
            const { externalId, group: _group, name, ...shape } = location;
            const row = { workspaceId, environment, id, name, externalId, address: null, shape };
            tables.put(locations, id, {
              ...row,
              groupIds: new Set<string>(),
              createdAt: now,
              updatedAt: now,
            });
          }
        }),

      update: (tenant, rows, now) =>
        store.write((tables) => {
          for (const { id, location } of rows) {
            const row = tenantRow(tables, locations, tenant, id);
            if (row === null) continue;
            const { externalId: _externalId, group: _group, name, ...shape } = location;
            tables.put(locations, id, { ...row, name, shape, updatedAt: now });
          }
        }),

      insertGroups: ({ environment, workspaceId }, idsByName, now) =>
        store.write((tables) => {
          for (const [name, id] of idsByName)
            tables.put(groups, id, { workspaceId, environment, id, name, createdAt: now, updatedAt: now });
        }),

      leave: (tenant, locationId, keptGroupIds, now) =>
        store.write((tables) => {
          const row = tenantRow(tables, locations, tenant, locationId);
          if (row === null) return;
          const left = [...row.groupIds].filter((id) => !keptGroupIds.includes(id));
          const groupIds = new Set([...row.groupIds].filter((id) => keptGroupIds.includes(id)));
          tables.put(locations, locationId, { ...row, groupIds });
          touch(tables, left, now);
        }),

      join: (tenant, members, now) =>
        store.write((tables) => {
          const grown = new Set<string>();
          for (const { groupId, locationId } of members) {
            const row = tenantRow(tables, locations, tenant, locationId);
            if (row === null || row.groupIds.has(groupId)) continue;
            tables.put(locations, locationId, { ...row, groupIds: new Set([...row.groupIds, groupId]) });
            grown.add(groupId);
          }
          touch(tables, grown, now);
        }),
    }),
  ),
);
