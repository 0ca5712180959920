import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import { mapRows, run } from "../database/Statements.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import { CampaignTargetingRepository } from "./CampaignTargetingRepository.ts";
import { insertTargets, targetIds } from "./CampaignTargetsSql.ts";

/** Every statement on whom campaigns target. Bound: 1,000 entries of each list (E5). */
export const campaignTargetingSql = Layer.effect(
  CampaignTargetingRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    return CampaignTargetingRepository.of({
      replace: Effect.fnUntraced(function* (tenant, campaignId, targeting) {
        for (const each of targetIds(targeting)) {
          yield* run(sql`
            DELETE FROM ${sql(each.table)} t
            WHERE ${tenantIs("t", tenant)} AND t.campaign_id = ${campaignId}`);
          if (each.ids.length > 0) yield* run(sql`${insertTargets(sql, tenant, campaignId, each)}`);
        }
      }),

      existingSegments: (tenant, ids) =>
        ids.length === 0
          ? Effect.succeed(new Set<string>())
          : Effect.map(
              mapRows(
                sql<{ readonly id: string }>`
                  SELECT s.id FROM segment s
                  WHERE ${tenantIs("s", tenant)} AND s.id = ANY (${arrayOf("uuid", ids)})`,
                ({ id }) => id,
              ),
              (found) => new Set(found),
            ),

      needingSegment: (tenant, segmentId, now) =>
        mapRows(
          sql<{ readonly name: string }>`
            SELECT c.name FROM campaign_segment t
            JOIN campaign c ON c.workspace_id = t.workspace_id AND c.environment = t.environment
              AND c.id = t.campaign_id
            WHERE t.segment_id = ${segmentId} AND ${tenantIs("t", tenant)}
              AND (c.ends_at IS NULL OR c.ends_at >= ${instant(now)})
              AND NOT EXISTS (SELECT FROM campaign_segment o
                WHERE o.workspace_id = t.workspace_id AND o.environment = t.environment
                  AND o.campaign_id = t.campaign_id AND o.segment_id <> t.segment_id)
            ORDER BY c.id LIMIT 10`,
          ({ name }) => name,
        ),
    });
  }),
);
