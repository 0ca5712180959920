import { Effect } from "effect";
import { arrayOf, instant, unnested, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { firstRow, run, valueSet } from "../database/Statements.ts";
import { inTenant, sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { LocationGroup } from "./LocationGroup.ts";

/** A location in a group, by their ids. */
export interface GroupMember {
  readonly groupId: string;
  readonly locationId: string;
}

/**
 * Every statement on location groups. Those of imports are unprepared: a generic plan for many names would
 * scan every group. Bound: a page of 101, or 2,500 rows of an import.
 */
export class LocationGroupsSql extends SqlService<LocationGroupsSql>("waypost/LocationGroupsSql")((sql) => {
  const columns = sql`
    g.id, g.name, (
      SELECT count(*)::integer FROM location_group_member m
      WHERE ${sameTenant("m", "g")} AND m.group_id = g.id
    ) AS location_count,
    ${utc("g.created_at")} AS created_at, ${utc("g.updated_at")} AS updated_at`;

  return {
    /** Newest first: only the group with exactly this name, or all if it is null. */
    page: (tenant: Tenant, name: string | null, { before, limit }: PagePosition) =>
      Effect.orDie(sql<LocationGroup>`
        SELECT ${columns} FROM location_group g
        WHERE ${tenantIs("g", tenant)} AND (${before}::uuid IS NULL OR g.id < ${before})
          AND (${name}::text IS NULL OR g.name = ${name})
        ORDER BY g.id DESC LIMIT ${limit}`),

    find: (tenant: Tenant, id: string) =>
      firstRow(sql<LocationGroup>`
        SELECT ${columns} FROM location_group g WHERE ${tenantIs("g", tenant)} AND g.id = ${id}`),

    /** Returns the ids that exist. */
    existing: (tenant: Tenant, ids: ReadonlyArray<string>) =>
      valueSet(sql<{ readonly id: string }>`
        SELECT g.id FROM location_group g
        WHERE ${tenantIs("g", tenant)} AND g.id = ANY(${arrayOf("uuid", ids)})`),

    /** The ids of the groups with exactly these names, by name. Unknown names are left out. */
    idsByName: (tenant: Tenant, names: ReadonlyArray<string>) =>
      Effect.orDie(
        Effect.map(
          sql<{ readonly id: string; readonly name: string }>`
            SELECT g.id, g.name FROM location_group g
            WHERE ${tenantIs("g", tenant)} AND g.name = ANY(${arrayOf("text", names)})`.unprepared,
          (rows) => new Map(rows.map(({ id, name }) => [name, id])),
        ),
      ),

    insert: ({ environment, workspaceId }: Tenant, idsByName: ReadonlyMap<string, string>, now: number) =>
      run(
        sql`
          INSERT INTO location_group (workspace_id, environment, id, name, created_at, updated_at)
          SELECT ${workspaceId}, ${environment}, id, name, ${instant(now)}, ${instant(now)}
          FROM ${unnested("sent", [...idsByName], {
            id: ["uuid", ([, id]) => id],
            name: ["text", ([name]) => name],
          })}`.unprepared,
      ),

    /** Takes a location out of all groups but these. A group that loses it counts as updated at `now`. */
    leave: (tenant: Tenant, locationId: string, keptGroupIds: ReadonlyArray<string>, now: number) =>
      run(sql`
        WITH gone AS (
          DELETE FROM location_group_member
          WHERE ${inTenant(tenant)} AND location_id = ${locationId}
            AND group_id <> ALL(${arrayOf("uuid", keptGroupIds)})
          RETURNING group_id
        )
        UPDATE location_group SET updated_at = ${instant(now)}
        WHERE ${inTenant(tenant)} AND id IN (SELECT group_id FROM gone)`),

    /** Adds locations to groups. A group that gains a location counts as updated at `now`. */
    join: (tenant: Tenant, members: ReadonlyArray<GroupMember>, now: number) =>
      run(
        Effect.flatMap(
          sql<{ readonly group_id: string }>`
            WITH added AS (
              INSERT INTO location_group_member (workspace_id, environment, group_id, location_id)
              SELECT ${tenant.workspaceId}, ${tenant.environment}, group_id, location_id
              FROM ${unnested("sent", members, {
                group_id: ["uuid", ({ groupId }) => groupId],
                location_id: ["uuid", ({ locationId }) => locationId],
              })}
              ON CONFLICT DO NOTHING
              RETURNING group_id
            )
            SELECT DISTINCT group_id FROM added`.unprepared,
          (grown) => {
            const ids = grown.map(({ group_id }) => group_id);
            return sql`
              UPDATE location_group SET updated_at = ${instant(now)}
              WHERE ${inTenant(tenant)} AND id = ANY(${arrayOf("uuid", ids)})`.unprepared;
          },
        ),
      ),
  };
}) {}
