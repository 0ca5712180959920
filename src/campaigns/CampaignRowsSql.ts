/** The rows of campaigns: their columns with their targets, and the campaigns that they show. */
import type { SqlClient, Statement } from "effect/sql";
import { utcArray } from "../database/Rows.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import { storedQuietHours } from "../workspaces/QuietHours.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Campaign } from "./Campaign.ts";
import { statusSql } from "./CampaignStatusSql.ts";
import { storedGoal } from "./Goal.ts";
import { storedRecurrence } from "./recurrence/Recurrence.ts";

/** A row of `rowsOfPage`. V8 keeps an object of over 19 columns as a hash table, which is slower. */
export interface CampaignRow extends Omit<
  Campaign,
  "starts_at" | "ends_at" | "published_at" | "created_at" | "updated_at" | "targeting"
> {
  readonly instants: readonly [
    starts: string,
    ends: string | null,
    published: string | null,
    created: string,
    updated: string,
  ];
  readonly segment_match: Campaign["targeting"]["segment_match"];
  /** The targets of all rows, in one of them: `campaign`, `kind` and `id` of each, without separators. */
  readonly targets: string | null;
}

const uuidLength = 36;

/** The tables of targets, by the letter of their kind in `targets`. */
const targetTables = [
  { kind: "l", table: "campaign_location", column: "location_id" },
  { kind: "g", table: "campaign_location_group", column: "group_id" },
  { kind: "s", table: "campaign_segment", column: "segment_id" },
] as const;

/**
 * Selects the campaigns `c` of a tenant that the materialized expression `page` has. Each table of targets is
 * read once for all of them: a subquery for each campaign takes PostgreSQL twice as long as the campaigns
 * themselves. `further` columns start with a comma. Bound: a page of 101 campaigns with 3,000 targets each
 * (E5).
 */
export const rowsOfPage = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  now: number,
  further: Statement.Fragment = sql``,
): Statement.Fragment => {
  const targets = targetTables.map(
    ({ column, kind, table }) => sql`
      SELECT t.campaign_id::text || ${sql.literal(`'${kind}'`)} || t.${sql(column)}::text AS target,
        t.position
      FROM ${sql(table)} t
      WHERE ${tenantIs("t", tenant)} AND t.campaign_id = ANY (ARRAY (SELECT id FROM page))`,
  );
  return sql`
    SELECT c.id, c.name, c.type, ${statusSql(sql, now, "c")} AS status, c.timezone, c.recurrence, c.paused,
      c.archived, c.frequency_cap_count, c.frequency_cap_period, c.cap_by, c.quiet_hours, c.cooldown_minutes,
      c.max_per_minute, c.holdout_percent::float8 AS holdout_percent, c.goal, c.segment_match,
      ${utcArray(
        "c.starts_at",
        "COALESCE(c.written_ends_at, c.ends_at)",
        "c.published_at",
        "c.created_at",
        "c.updated_at",
      )} AS instants,
      CASE WHEN c.id = (SELECT id FROM page LIMIT 1) THEN (
        SELECT string_agg(t.target, '' ORDER BY t.position)
        FROM (${sql.join(" UNION ALL ", false)(targets)}) t
      ) END AS targets ${further}
    FROM page c ORDER BY c.id DESC`;
};

/** The ids of the targets of a campaign, by the letter of their kind. */
type TargetIds = Record<(typeof targetTables)[number]["kind"], Array<string>>;

/** The targets of all rows, by campaign. */
const targetsOf = (rows: ReadonlyArray<CampaignRow>): ReadonlyMap<string, TargetIds> => {
  const all = rows.find(({ targets }) => targets !== null)?.targets ?? "";
  const byCampaign = new Map<string, TargetIds>(rows.map(({ id }) => [id, { l: [], g: [], s: [] }]));
  for (let at = 0; at < all.length; at += uuidLength * 2 + 1) {
    const kindAt = at + uuidLength;
    const ids = byCampaign.get(all.slice(at, kindAt));
    ids?.[all.charAt(kindAt) as keyof TargetIds].push(all.slice(kindAt + 1, kindAt + 1 + uuidLength));
  }
  return byCampaign;
};

/** The campaigns of all rows of a statement, each field in the order of the schema. */
export const campaignsOf = (rows: ReadonlyArray<CampaignRow>): ReadonlyArray<Campaign> => {
  const targets = targetsOf(rows);
  return rows.map((row) => {
    const [starts_at, ends_at, published_at, created_at, updated_at] = row.instants;
    const { g: location_group_ids, l: location_ids, s: segmentation_ids } = targets.get(row.id) as TargetIds;
    return {
      id: row.id,
      name: row.name,
      type: row.type,
      status: row.status,
      starts_at,
      ends_at,
      timezone: row.timezone,
      recurrence: storedRecurrence(row.recurrence),
      paused: row.paused,
      published_at,
      archived: row.archived,
      frequency_cap_count: row.frequency_cap_count,
      frequency_cap_period: row.frequency_cap_period,
      cap_by: row.cap_by,
      quiet_hours: storedQuietHours(row.quiet_hours),
      cooldown_minutes: row.cooldown_minutes,
      max_per_minute: row.max_per_minute,
      holdout_percent: row.holdout_percent,
      goal: storedGoal(row.goal),
      targeting: {
        location_ids,
        location_group_ids,
        segmentation_ids,
        // The last segment of a campaign that has ended can be deleted (contract E6).
        segment_match: segmentation_ids.length > 0 ? row.segment_match : null,
      },
      created_at,
      updated_at,
    };
  });
};
