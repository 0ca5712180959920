import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import { mapRows, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { CampaignTargetingRepository } from "./CampaignTargetingRepository.ts";

/** A table of targets: its column of ids, and the table that these refer to. */
interface TargetTable {
  readonly table: string;
  readonly column: string;
  readonly target: string;
}

const locationTable = { table: "campaign_location", column: "location_id", target: "location" };
const groupTable = { table: "campaign_location_group", column: "group_id", target: "location_group" };
const segmentTable = { table: "campaign_segment", column: "segment_id", target: "segment" };

/** Every statement on whom campaigns target. */
export const campaignTargetingSql = Layer.effect(
  CampaignTargetingRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const clear = (tenant: Tenant, campaignId: CampaignId, { table }: TargetTable) =>
      run(sql`
        DELETE FROM ${sql(table)} t WHERE ${tenantIs("t", tenant)} AND t.campaign_id = ${campaignId}`);

    // The lock keeps targets from being deleted before the foreign key is checked, which would fail the
    // statement.
    const add = (
      tenant: Tenant,
      campaignId: CampaignId,
      ids: ReadonlyArray<string>,
      { column, table, target }: TargetTable,
    ) =>
      ids.length === 0
        ? Effect.void
        : run(sql`
            INSERT INTO ${sql(table)} (workspace_id, environment, campaign_id, ${sql(column)}, position)
            SELECT t.workspace_id, t.environment, ${campaignId}::uuid, t.id, sent.position
            FROM unnest(${arrayOf("uuid", ids)}) WITH ORDINALITY AS sent (id, position)
            JOIN ${sql(target)} t ON ${tenantIs("t", tenant)} AND t.id = sent.id
            FOR KEY SHARE OF t`);

    return CampaignTargetingRepository.of({
      replace: Effect.fnUntraced(function* (tenant, campaignId, { groupIds, locationIds, segmentIds }) {
        for (const table of [locationTable, groupTable, segmentTable]) {
          yield* clear(tenant, campaignId, table);
        }
        yield* add(tenant, campaignId, locationIds, locationTable);
        yield* add(tenant, campaignId, groupIds, groupTable);
        yield* add(tenant, campaignId, segmentIds, segmentTable);
      }),

      existingSegments: (tenant, ids) =>
        ids.length === 0
          ? Effect.succeed(new Set<string>())
          : Effect.map(
              mapRows(
                sql<{ readonly id: string }>`
                  SELECT s.id FROM segment s
                  WHERE ${tenantIs("s", tenant)} AND s.id = ANY (${arrayOf("uuid", ids)})`,
                ({ id }) => id,
              ),
              (found) => new Set(found),
            ),

      needingSegment: (tenant, segmentId, now) =>
        mapRows(
          sql<{ readonly name: string }>`
            SELECT c.name FROM campaign_segment t
            JOIN campaign c ON c.workspace_id = t.workspace_id AND c.environment = t.environment
              AND c.id = t.campaign_id
            WHERE t.segment_id = ${segmentId} AND ${tenantIs("t", tenant)}
              AND (c.ends_at IS NULL OR c.ends_at >= ${instant(now)})
              AND NOT EXISTS (SELECT FROM campaign_segment o
                WHERE o.workspace_id = t.workspace_id AND o.environment = t.environment
                  AND o.campaign_id = t.campaign_id AND o.segment_id <> t.segment_id)
            ORDER BY c.id LIMIT 10`,
          ({ name }) => name,
        ),
    });
  }),
);
