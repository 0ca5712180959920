import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { arrayOf, instant } from "../database/Rows.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";

/** Every statement on whom campaigns target. */
export class CampaignTargetingSql extends Context.Service<CampaignTargetingSql>()(
  "waypost/campaigns/CampaignTargetingSql",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;

      // The lock keeps what is targeted from being deleted between the look and the foreign key's own check, which would fail.
      const add = (
        tenant: Tenant,
        campaignId: string,
        ids: ReadonlyArray<string>,
        names: { readonly table: string; readonly column: string; readonly target: string },
      ) =>
        ids.length === 0
          ? Effect.void
          : Effect.orDie(sql`
              INSERT INTO ${sql(names.table)} (workspace_id, environment, campaign_id, ${sql(names.column)}, position)
              SELECT t.workspace_id, t.environment, ${campaignId}::uuid, t.id, sent.position
              FROM unnest(${arrayOf("uuid", ids)}) WITH ORDINALITY AS sent (id, position)
              JOIN ${sql(names.target)} t ON t.workspace_id = ${tenant.workspaceId}
                AND t.environment = ${tenant.environment} AND t.id = sent.id
              FOR KEY SHARE OF t`);

      return {
        /** Names of campaigns that have not ended and of whose segments this is the only one, at most ten of them. */
        needingSegment: (tenant: Tenant, segmentId: string, now: number) =>
          sql<{ readonly name: string }>`
            SELECT c.name FROM campaign_segment t
            JOIN campaign c ON c.workspace_id = t.workspace_id AND c.environment = t.environment AND c.id = t.campaign_id
            WHERE t.segment_id = ${segmentId} AND t.workspace_id = ${tenant.workspaceId}
              AND t.environment = ${tenant.environment} AND (c.ends_at IS NULL OR c.ends_at >= ${instant(now)})
              AND NOT EXISTS (SELECT FROM campaign_segment o
                WHERE o.workspace_id = t.workspace_id AND o.environment = t.environment AND o.campaign_id = t.campaign_id
                  AND o.segment_id <> t.segment_id)
            ORDER BY c.id LIMIT 10`.pipe(
            Effect.map((rows) => rows.map(({ name }) => name)),
            Effect.orDie,
          ),

        /** Puts the targeting in the place of what there was; what was deleted in the meantime is left out. */
        replace: Effect.fnUntraced(function* (
          tenant: Tenant,
          campaignId: string,
          targeting: ResolvedTargeting,
        ) {
          for (const table of ["campaign_location", "campaign_location_group", "campaign_segment"]) {
            yield* Effect.orDie(sql`
              DELETE FROM ${sql(table)} WHERE workspace_id = ${tenant.workspaceId}
                AND environment = ${tenant.environment} AND campaign_id = ${campaignId}`);
          }
          yield* add(tenant, campaignId, targeting.locationIds, {
            table: "campaign_location",
            column: "location_id",
            target: "location",
          });
          yield* add(tenant, campaignId, targeting.groupIds, {
            table: "campaign_location_group",
            column: "group_id",
            target: "location_group",
          });
          yield* add(tenant, campaignId, targeting.segmentIds, {
            table: "campaign_segment",
            column: "segment_id",
            target: "segment",
          });
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(CampaignTargetingSql, CampaignTargetingSql.make);
}
