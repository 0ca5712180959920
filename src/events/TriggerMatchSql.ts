import { type SqlClient, Statement } from "effect/sql";
import { epochMillis } from "../database/Rows.ts";
import { sameTenant } from "../database/TenantColumns.ts";
import { experimentSql, variesSql } from "../notifications/variants/VariantSql.ts";

/** The parts of statements that read which notifications can fire: `TriggerMatch` of `a` on campaign `c`. */
export const triggerMatchSql = (sql: SqlClient.SqlClient) => ({
  columns: sql`c.id AS campaign_id, c.key AS campaign_key, c.timezone, c.paused,
    ${epochMillis("c.starts_at")} AS campaign_starts, ${epochMillis("c.ends_at")} AS campaign_ends,
    CASE WHEN c.frequency_cap_count IS NOT NULL THEN jsonb_build_object(
      'count', c.frequency_cap_count, 'period', c.frequency_cap_period) END AS cap,
    c.cap_by, c.cooldown_minutes, c.quiet_hours, n.id AS notification_id, n.key AS notification_key,
    ${epochMillis("a.starts_at")} AS window_starts, ${epochMillis("a.ends_at")} AS window_ends,
    k.key AS content_key, k.type, ${variesSql("k")} AS varies,
    k.push -> 'silent' IS NOT DISTINCT FROM 'true' AS silent, ${experimentSql("c")} AS experiment,
    a.trigger_type,
    a.dwell_minutes, a.max_silence_minutes, a.id AS attachment_id`,
  contentJoins: sql`JOIN notification n ON ${sameTenant("n", "a")} AND n.id = a.notification_id
    JOIN content k ON ${sameTenant("k", "n")} AND k.key = n.content_key`,
});

/**
 * Subquery for a row `p` with a tenant, a `location_id` and a `trigger_type`: the keys of the campaigns whose
 * goal an enter there meets, `goal_campaigns`; null for none. A goal without locations and groups is met
 * anywhere.
 */
export const visitGoalsSql: Statement.Fragment = Statement.fragment([
  Statement.literal(`(
    SELECT array_agg(v.key) AS goal_campaigns FROM campaign v
    WHERE v.workspace_id = p.workspace_id AND v.environment = p.environment AND v.goal IS NOT NULL
      AND v.goal ->> 'type' = 'visit' AND p.trigger_type = 'on_enter' AND (
        NOT jsonb_exists_any(v.goal, ARRAY['location_ids', 'location_group_ids'])
        OR jsonb_exists(v.goal -> 'location_ids', p.location_id::text)
        OR EXISTS (
          SELECT FROM location_group_member m
          WHERE m.workspace_id = p.workspace_id AND m.environment = p.environment
            AND m.location_id = p.location_id
            AND jsonb_exists(v.goal -> 'location_group_ids', m.group_id::text)))
  )`),
]);
