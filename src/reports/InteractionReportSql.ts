import type { SqlClient } from "effect/sql";
import { unnested } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { matchingNotifications } from "./NotificationReportSql.ts";
import { percent, type ReportScope } from "./ReportConditionsSql.ts";
import type { InteractionCounts } from "./ReportCounts.ts";
import type { RowReport } from "./RowReportSql.ts";

/** The interaction report: a row for each matching notification (contract M2). */
export const interactionReport = (
  sql: SqlClient.SqlClient,
  tenant: Tenant,
  scope: ReportScope,
  counts: ReadonlyArray<InteractionCounts>,
): RowReport => {
  const counted = unnested("counted", counts, {
    key: ["int4", ({ key }) => key],
    delivered: ["int8", ({ delivered }) => BigInt(delivered)],
    opened: ["int8", ({ opened }) => BigInt(opened)],
    clicked: ["int8", ({ clicked }) => BigInt(clicked)],
  });
  const rate = (part: string) => percent(sql, `COALESCE(${part}, 0)`, "COALESCE(delivered, 0)");
  return {
    queries: sql`
      ${matchingNotifications(sql, tenant, scope)},
      interaction_count AS MATERIALIZED (SELECT * FROM ${counted})`,
    rows: sql`
      SELECT id, name, status, type, COALESCE(delivered, 0) AS delivered, COALESCE(opened, 0) AS opened,
        COALESCE(clicked, 0) AS clicked, ${rate("opened")} AS open_rate, ${rate("clicked")} AS click_rate
      FROM matching LEFT JOIN interaction_count USING (key)`,
    order: { figure: "delivered", name: "name" },
  };
};
