import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, utc } from "../database/Rows.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { LocationGroup } from "./LocationGroup.ts";

/** SQL statements on location groups, except those of imports (LocationImportsSql). */
export class LocationGroupsSql extends Context.Service<LocationGroupsSql>()(
  "waypost/locations/LocationGroupsSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;

      const columns = sql`
        g.id, g.name, (
          SELECT count(*)::integer FROM location_group_member m
          WHERE m.workspace_id = g.workspace_id AND m.environment = g.environment AND m.group_id = g.id
        ) AS location_count,
        ${utc("g.created_at")} AS created_at, ${utc("g.updated_at")} AS updated_at`;

      const own = ({ environment, workspaceId }: Tenant) =>
        sql`g.workspace_id = ${workspaceId} AND g.environment = ${environment}`;

      return {
        /** Newest first; all groups if `name` is null. */
        page: (tenant: Tenant, name: string | null, { before, limit }: PagePosition) =>
          Effect.orDie(sql<LocationGroup>`
            SELECT ${columns} FROM location_group g
            WHERE ${own(tenant)} AND (${before}::uuid IS NULL OR g.id < ${before})
              AND (${name}::text IS NULL OR g.name = ${name})
            ORDER BY g.id DESC LIMIT ${limit}`),

        find: (tenant: Tenant, id: string) =>
          Effect.orDie(
            sql<LocationGroup>`SELECT ${columns} FROM location_group g WHERE ${own(tenant)} AND g.id = ${id}`,
          ),

        /** Which of the ids exist. */
        existing: (tenant: Tenant, ids: ReadonlyArray<string>) =>
          Effect.orDie(sql<{ id: string }>`
            SELECT g.id FROM location_group g WHERE ${own(tenant)} AND g.id = ANY(${arrayOf("uuid", ids)})`),

        byNames: (tenant: Tenant, names: ReadonlyArray<string>) =>
          Effect.orDie(sql<{ id: string; name: string }>`
            SELECT g.id, g.name FROM location_group g
            WHERE ${own(tenant)} AND g.name = ANY(${arrayOf("text", names)})`),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(LocationGroupsSql, LocationGroupsSql.make);
}
