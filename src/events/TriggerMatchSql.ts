import type { SqlClient } from "effect/sql";
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
