/** SQL on the targets of campaigns, which are stored in a table for each kind. */
import { Statement } from "effect/sql";
import type { SqlClient } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

/** The tables of targets, with the column and the table of the ids that they refer to. */
export const targetTables = [
  { field: "locationIds", table: "campaign_location", column: "location_id", target: "location" },
  { field: "groupIds", table: "campaign_location_group", column: "group_id", target: "location_group" },
  { field: "segmentIds", table: "campaign_segment", column: "segment_id", target: "segment" },
] as const;

/**
 * Inserts the targets of a campaign that exist, if a condition holds. The lock keeps them from being deleted
 * before the foreign key is checked, which would fail the statement. Bound: 1,000 entries (E5).
 */
export const insertTargets = (
  sql: SqlClient.SqlClient,
  tenant: TenantKey,
  campaignId: CampaignId,
  { column, table, target }: (typeof targetTables)[number],
  ids: ReadonlyArray<string>,
  condition = sql`true`,
): Statement.Fragment => sql`
  INSERT INTO ${sql(table)} (workspace_id, environment, campaign_id, ${sql(column)}, position)
  SELECT t.workspace_id, t.environment, ${campaignId}::uuid, t.id, sent.position
  FROM unnest(${arrayOf("uuid", ids)}) WITH ORDINALITY AS sent (id, position)
  JOIN ${sql(target)} t ON ${tenantIs("t", tenant)} AND t.id = sent.id
  WHERE ${condition} FOR KEY SHARE OF t`;

const literal = (text: string): Statement.Fragment => Statement.fragment([Statement.literal(text)]);

/** The targets of a row of `targetsJoined`, each kind under its field, in their order. */
export const selectedTargets: Statement.Fragment = literal(
  targetTables.map(({ field, table }) => `COALESCE(${table}.ids, '{}') AS "${field}"`).join(", "),
);

/**
 * Joins the targets of the campaigns `c` that the materialized expression `page` has. Each table is read once
 * for all of them. Bound: a page of 101 campaigns with 3,000 targets each (E5).
 */
export const targetsJoined = (sql: SqlClient.SqlClient, tenant: TenantKey): Statement.Fragment =>
  sql.join(
    " ",
    false,
  )(
    targetTables.map(
      ({ column, table }) => sql`LEFT JOIN (
        SELECT t.campaign_id, array_agg(t.${sql(column)} ORDER BY t.position) AS ids FROM ${sql(table)} t
        WHERE ${tenantIs("t", tenant)} AND t.campaign_id = ANY (ARRAY (SELECT id FROM page))
        GROUP BY 1
      ) ${sql(table)} ON ${sql(table)}.campaign_id = c.id`,
    ),
  );
