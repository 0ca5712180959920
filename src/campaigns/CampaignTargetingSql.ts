import { Effect } from "effect";
import { arrayOf, instant } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { columnValues, run, valueSet } from "../database/Statements.ts";
import { sameTenant, tenantIs } from "../database/TenantColumns.ts";
import type { CampaignId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";
import { insertTargets, targetTables } from "./CampaignTargetsSql.ts";

/** Every statement on whom campaigns target. Bound: 1,000 entries of each list (E5). */
export class CampaignTargetingSql extends SqlService<CampaignTargetingSql>(
  "waypost/campaigns/CampaignTargetingSql",
)((sql) => ({
  /** Replaces the targeting of a campaign. Targets that no longer exist are left out. */
  replace: Effect.fnUntraced(function* (
    tenant: Tenant,
    campaignId: CampaignId,
    targeting: ResolvedTargeting,
  ) {
    for (const each of targetTables) {
      yield* run(sql`
        DELETE FROM ${sql(each.table)} t
        WHERE ${tenantIs("t", tenant)} AND t.campaign_id = ${campaignId}`);
      const ids = targeting[each.field];
      if (ids.length > 0) yield* run(sql`${insertTargets(sql, tenant, campaignId, each, ids)}`);
    }
  }),

  /** Returns the ids that are segments of this environment. */
  existingSegments: (tenant: Tenant, ids: ReadonlyArray<string>) =>
    ids.length === 0
      ? Effect.succeed(new Set<string>())
      : valueSet(sql<{ readonly id: string }>`
          SELECT s.id FROM segment s
          WHERE ${tenantIs("s", tenant)} AND s.id = ANY (${arrayOf("uuid", ids)})`),

  /**
   * Names of campaigns that have not ended at `now` (epoch milliseconds) and have this as their only
   * segment, the oldest ten.
   */
  needingSegment: (tenant: Tenant, segmentId: string, now: number) =>
    columnValues(sql<{ readonly name: string }>`
      SELECT c.name FROM campaign_segment t
      JOIN campaign c ON ${sameTenant("c", "t")} AND c.id = t.campaign_id
      WHERE t.segment_id = ${segmentId} AND ${tenantIs("t", tenant)}
        AND (c.ends_at IS NULL OR c.ends_at >= ${instant(now)})
        AND NOT EXISTS (SELECT FROM campaign_segment o
          WHERE ${sameTenant("o", "t")} AND o.campaign_id = t.campaign_id AND o.segment_id <> t.segment_id)
      ORDER BY c.id LIMIT 10`),
})) {}
