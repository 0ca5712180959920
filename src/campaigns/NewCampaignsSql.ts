import type { SqlClient, Statement } from "effect/sql";
import { unnested } from "../database/Rows.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Campaign } from "./Campaign.ts";
import type { CampaignDates } from "./CampaignDates.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";
import { targetIds } from "./CampaignTargetsSql.ts";

/**
 * The columns of a campaign that a draft writes, instants in epoch milliseconds. Targeting is stored apart.
 */
export interface CampaignValues extends CampaignDates {
  readonly name: string;
  readonly type: Campaign["type"];
  readonly frequencyCapCount: number | null;
  readonly frequencyCapPeriod: Campaign["frequency_cap_period"];
  readonly capBy: Campaign["cap_by"];
  readonly quietHours: Campaign["quiet_hours"];
  readonly cooldownMinutes: number | null;
  readonly maxPerMinute: number | null;
  readonly segmentMatch: Campaign["targeting"]["segment_match"];
  readonly holdoutPercent: number;
  readonly goal: Campaign["goal"];
}

/** A campaign to insert. */
export interface NewCampaign {
  readonly id: CampaignId;
  readonly values: CampaignValues;
  readonly targets: ResolvedTargeting;
  readonly paused: boolean;
  /** The most campaigns that can count with this one; null for any number. */
  readonly limit: number | null;
}

/** A target that a new campaign names. */
interface WantedTarget {
  readonly campaign: CampaignId;
  readonly id: string;
  readonly position: number;
}

/** The targets of new campaigns by table, those of the tables that have some. */
const wantedTargets = (campaigns: ReadonlyArray<NewCampaign>) =>
  targetIds({ locationIds: [], groupIds: [], segmentIds: [] })
    .map((table, index) => {
      const wanted = campaigns.flatMap(({ id: campaign, targets }): ReadonlyArray<WantedTarget> =>
        (targetIds(targets)[index]?.ids ?? []).map((id, at) => ({ campaign, id, position: at + 1 })),
      );
      return { ...table, index, wanted };
    })
    .filter(({ wanted }) => wanted.length > 0);

/**
 * Common table expressions that insert campaigns with their targets, in a transaction that has locked the
 * tenant. `made` has the ids of the inserted ones: a campaign whose name is taken, whose targets do not all
 * exist, or whose limit `counted` has reached is left out. The locks keep targets from being deleted before
 * the foreign keys are checked, which would fail the statement. The snapshot is younger than the lock.
 */
export const newCampaignsSql = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  campaigns: ReadonlyArray<NewCampaign>,
  counted: Statement.Fragment,
  now: number,
): Statement.Fragment => {
  const tables = wantedTargets(campaigns);
  const found = tables.map(
    ({ table, target, wanted }) => sql`${sql(`${table}_found`)} AS (
      SELECT w.campaign, w.position, t.id FROM ${unnested("w", wanted, {
        campaign: ["uuid", ({ campaign }) => campaign],
        target: ["uuid", ({ id }) => id],
        position: ["int4", ({ position }) => position],
      })}
      JOIN ${sql(target)} t ON ${tenantIs("t", tenant)} AND t.id = w.target FOR KEY SHARE OF t)`,
  );
  const conditions = [
    ...tables.map(
      ({ table }) => sql`(SELECT count(*) FROM ${sql(`${table}_found`)} f WHERE f.campaign = n.id) =
        n.${sql(`${table}_wanted`)}`,
    ),
    ...(campaigns.every(({ limit }) => limit === null)
      ? []
      : [sql`(n.allowed IS NULL OR n.allowed > (${counted}))`]),
  ];
  const wantedOf = tables.map(({ index, table }) => {
    const count = ({ targets }: NewCampaign) => targetIds(targets)[index]?.ids.length ?? 0;
    return [`${table}_wanted`, ["int4", count]] as const;
  });
  const added = tables.map(
    ({ column, table }) => sql`${sql(`${table}_added`)} AS (
      INSERT INTO ${sql(table)} (workspace_id, environment, campaign_id, ${sql(column)}, position)
      SELECT ${tenant.workspaceId}::int, ${tenant.environment}::text, f.campaign, f.id, f.position
      FROM ${sql(`${table}_found`)} f JOIN made m ON m.id = f.campaign)`,
  );
  const made = sql`made AS (
    INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, ends_at,
      written_ends_at, recurrence, paused, frequency_cap_count, frequency_cap_period, cap_by, quiet_hours,
      cooldown_minutes, max_per_minute, segment_match, holdout_percent, goal, created_at, updated_at)
    SELECT ${tenant.workspaceId}::int, ${tenant.environment}::text, n.id, n.name, n.type, n.timezone,
      n.starts_at, n.ends_at, n.written_ends_at, n.recurrence, n.paused, n.frequency_cap_count,
      n.frequency_cap_period, n.cap_by, n.quiet_hours, n.cooldown_minutes, n.max_per_minute,
      n.segment_match, n.holdout_percent, n.goal, n.created_at, n.created_at
    FROM ${unnested("n", campaigns, {
      id: ["uuid", ({ id }) => id],
      name: ["text", ({ values }) => values.name],
      type: ["text", ({ values }) => values.type],
      timezone: ["text", ({ values }) => values.timezone],
      starts_at: ["timestamptz", ({ values }) => values.startsAt],
      ends_at: ["timestamptz", ({ values }) => values.endsAt],
      written_ends_at: ["timestamptz", ({ values }) => values.writtenEnd],
      recurrence: ["jsonb", ({ values }) => values.recurrence],
      paused: ["bool", ({ paused }) => paused],
      frequency_cap_count: ["int4", ({ values }) => values.frequencyCapCount],
      frequency_cap_period: ["text", ({ values }) => values.frequencyCapPeriod],
      cap_by: ["text", ({ values }) => values.capBy],
      quiet_hours: ["jsonb", ({ values }) => values.quietHours],
      cooldown_minutes: ["int4", ({ values }) => values.cooldownMinutes],
      max_per_minute: ["int4", ({ values }) => values.maxPerMinute],
      segment_match: ["text", ({ values }) => values.segmentMatch],
      holdout_percent: ["float8", ({ values }) => values.holdoutPercent],
      goal: ["jsonb", ({ values }) => values.goal],
      created_at: ["timestamptz", () => now],
      allowed: ["float8", ({ limit }) => limit],
      ...Object.fromEntries(wantedOf),
    })}
    ${conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`}
    ORDER BY n.ord
    ON CONFLICT (name, workspace_id, environment) DO NOTHING
    RETURNING id)`;
  return sql.join(", ", false)([...found, made, ...added]);
};
