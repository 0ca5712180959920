import type { SqlClient, Statement } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";

/**
 * The ids of a targeting by table, also where there are none; with the column of the table, and the table
 * that its ids refer to.
 */
export const targetIds = ({ groupIds, locationIds, segmentIds }: ResolvedTargeting) => [
  { table: "campaign_location", column: "location_id", target: "location", ids: locationIds },
  { table: "campaign_location_group", column: "group_id", target: "location_group", ids: groupIds },
  { table: "campaign_segment", column: "segment_id", target: "segment", ids: segmentIds },
];

/**
 * Inserts the targets of a campaign that exist. The lock keeps them from being deleted before the foreign key
 * is checked, which would fail the statement. Bound: 1,000 entries (E5).
 */
export const insertTargets = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  campaignId: CampaignId,
  { column, ids, table, target }: ReturnType<typeof targetIds>[number],
): Statement.Fragment => sql`
  INSERT INTO ${sql(table)} (workspace_id, environment, campaign_id, ${sql(column)}, position)
  SELECT t.workspace_id, t.environment, ${campaignId}::uuid, t.id, sent.position
  FROM unnest(${arrayOf("uuid", ids)}) WITH ORDINALITY AS sent (id, position)
  JOIN ${sql(target)} t ON ${tenantIs("t", tenant)} AND t.id = sent.id
  FOR KEY SHARE OF t`;
