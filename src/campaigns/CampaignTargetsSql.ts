import type { SqlClient, Statement } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";

/** A table of targets: its column of ids, and the table that these refer to. */
interface TargetTable {
  readonly table: string;
  readonly column: string;
  readonly target: string;
}

/** The ids of one kind of target, and the table that has them. */
interface TargetIds extends TargetTable {
  readonly ids: ReadonlyArray<string>;
}

/** The ids of a targeting by table, also where there are none. */
export const targetIds = ({
  groupIds,
  locationIds,
  segmentIds,
}: ResolvedTargeting): ReadonlyArray<TargetIds> => [
  { table: "campaign_location", column: "location_id", target: "location", ids: locationIds },
  { table: "campaign_location_group", column: "group_id", target: "location_group", ids: groupIds },
  { table: "campaign_segment", column: "segment_id", target: "segment", ids: segmentIds },
];

/**
 * Inserts the targets of a campaign that exist. The lock keeps them from being deleted before the foreign key
 * is checked, which would fail the statement.
 */
export const insertTargets = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  campaignId: CampaignId,
  { column, ids, table, target }: TargetIds,
): Statement.Fragment => sql`
  INSERT INTO ${sql(table)} (workspace_id, environment, campaign_id, ${sql(column)}, position)
  SELECT t.workspace_id, t.environment, ${campaignId}::uuid, t.id, sent.position
  FROM unnest(${arrayOf("uuid", ids)}) WITH ORDINALITY AS sent (id, position)
  JOIN ${sql(target)} t ON ${tenantIs("t", tenant)} AND t.id = sent.id
  FOR KEY SHARE OF t`;
