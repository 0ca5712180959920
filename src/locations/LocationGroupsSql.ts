import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, utc } from "../database/Rows.ts";
import { columnValues, firstRow } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { LocationGroup } from "./LocationGroup.ts";
import { LocationGroupsRepository } from "./LocationGroupsRepository.ts";

/** Every statement on location groups, except those of imports. Bound: a page of 101, or 1,000 names. */
export const locationGroupsSql = Layer.effect(
  LocationGroupsRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql`
      g.id, g.name, (
        SELECT count(*)::integer FROM location_group_member m
        WHERE ${sameTenant("m", "g")} AND m.group_id = g.id
      ) AS location_count,
      ${utc("g.created_at")} AS created_at, ${utc("g.updated_at")} AS updated_at`;

    return LocationGroupsRepository.of({
      page: (tenant, name, { before, limit }) =>
        Effect.orDie(sql<LocationGroup>`
          SELECT ${columns} FROM location_group g
          WHERE ${tenantIs("g", tenant)} AND (${before}::uuid IS NULL OR g.id < ${before})
            AND (${name}::text IS NULL OR g.name = ${name})
          ORDER BY g.id DESC LIMIT ${limit}`),

      find: (tenant, id) =>
        firstRow(sql<LocationGroup>`
          SELECT ${columns} FROM location_group g WHERE ${tenantIs("g", tenant)} AND g.id = ${id}`),

      existing: (tenant, ids) =>
        Effect.map(
          columnValues(sql<{ readonly id: string }>`
            SELECT g.id FROM location_group g
            WHERE ${tenantIs("g", tenant)} AND g.id = ANY(${arrayOf("uuid", ids)})`),
          (existing) => new Set(existing),
        ),

      // Unprepared: an import sends many names, for which a generic plan would scan every group.
      idsByName: (tenant, names) =>
        Effect.orDie(
          Effect.map(
            sql<{ readonly id: string; readonly name: string }>`
              SELECT g.id, g.name FROM location_group g
              WHERE ${tenantIs("g", tenant)} AND g.name = ANY(${arrayOf("text", names)})`.unprepared,
            (rows) => new Map(rows.map(({ id, name }) => [name, id])),
          ),
        ),
    });
  }),
);
