import { sameTenant } from "../database/TenantColumns.ts";
import { reportConditions, percent } from "./ReportConditionsSql.ts";
import type { InteractionCounts } from "./ReportCounts.ts";
import { interactionCounts, matchingNotifications } from "./NotificationReportSql.ts";
import type { RowReportOf } from "./RowReportSql.ts";
import { within } from "./SourceRowsSql.ts";

const figures = ["delivered", "opened", "clicked"];

/**
 * The interaction report by variant (contract U8): a row for each variant that a notification has, or that
 * counts in the range, and one with a null variant for the rest of its deliveries, or if it has no variants.
 */
export const variantReport: RowReportOf<InteractionCounts> = (sql, tenant, scope, counts) => {
  const { mine, outcomeMatches } = reportConditions(sql, tenant, scope);
  const each = (expression: (figure: string) => string) =>
    sql.literal(figures.map((figure) => `${expression(figure)} AS ${figure}`).join(", "));
  return {
    queries: sql`
      ${matchingNotifications(sql, tenant, scope)},
      interaction_count AS MATERIALIZED (SELECT * FROM ${interactionCounts(counts)}),
      variant_counts AS MATERIALIZED (
        SELECT notification_key AS key, variant, ${each((figure) => `sum(${figure})`)}
        FROM variant_count
        WHERE ${outcomeMatches} AND variant <> '' AND ${within(sql, "quarter", scope.range)}
        GROUP BY 1, 2),
      named AS (
        SELECT n.key, v.variant
        FROM (SELECT * FROM notification WHERE ${mine}) AS n
        JOIN content c ON ${sameTenant("c", "n")} AND c.key = n.content_key
        CROSS JOIN LATERAL (
          SELECT jsonb_array_elements(c.variants) ->> 'key' AS variant UNION SELECT 'control') AS v
        WHERE jsonb_array_length(c.variants) > 0
        UNION SELECT key, variant FROM variant_counts),
      split AS (
        SELECT key, variant, ${each((figure) => `COALESCE(${figure}, 0)`)}
        FROM named LEFT JOIN variant_counts USING (key, variant)
        UNION ALL
        SELECT key, NULL, ${each((figure) => `COALESCE(c.${figure}, 0) - COALESCE(s.${figure}, 0)`)}
        FROM matching
        LEFT JOIN interaction_count c USING (key)
        LEFT JOIN (
          SELECT key, ${each((figure) => `sum(${figure})`)} FROM variant_counts GROUP BY 1) AS s USING (key)
        WHERE key NOT IN (SELECT key FROM named)
          OR (c.delivered, c.opened, c.clicked) <> (s.delivered, s.opened, s.clicked)
          OR s.delivered IS NULL AND c.delivered + c.opened + c.clicked > 0)`,
    rows: sql`
      SELECT id, name, status, type, variant, delivered, opened, clicked,
        ${percent(sql, "opened", "delivered")} AS open_rate,
        ${percent(sql, "clicked", "delivered")} AS click_rate
      FROM matching JOIN split USING (key)`,
    order: { figure: "delivered", name: "name", last: "id, variant" },
  };
};
