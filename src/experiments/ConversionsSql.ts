import { Effect } from "effect";
import { unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { sameTenant, tenantColumns } from "../database/TenantColumns.ts";
import { workspaceStatements } from "../database/WorkspaceGroups.ts";
import { conversionsSql } from "../deltas/ExperimentCountsSql.ts";
import type { CampaignKey } from "../wire/Ids.ts";
import type { ReachedGoal, UnitEvent } from "./ReachedGoal.ts";

/** Statements that convert the units of experiments. Bound: the rows of 1 batch. */
export class ConversionsSql extends SqlService<ConversionsSql>("waypost/experiments/ConversionsSql")(
  (sql) => {
    const { onShard } = workspaceStatements(sql);
    return {
      /** Converts the units that are enrolled and have not converted, each once. */
      convert: (reached: ReadonlyArray<ReachedGoal>) =>
        Effect.asVoid(
          onShard(reached)(
            (own) => sql`
          WITH ${conversionsSql(
            sql,
            sql`SELECT *, false AS is_reply FROM ${unnested("r", own, {
              ...tenantColumns,
              campaign_key: ["int4", ({ campaignKey }) => campaignKey],
              unit_key: ["int4", ({ unitKey }) => unitKey],
              goal: ["text", ({ goal }) => goal],
              at: ["timestamptz", ({ at }) => at],
            })}`,
          )}
          SELECT 1`,
          ),
        ),

      /** The campaigns whose goal a custom event (`ord`, from 1) is. */
      goalsOf: (events: ReadonlyArray<UnitEvent>) =>
        Effect.orDie(sql<{ readonly ord: number; readonly campaignKey: CampaignKey }>`
        SELECT e.ord::int AS ord, c.key AS "campaignKey"
        FROM ${unnested("e", events, { ...tenantColumns, name: ["text", ({ name }) => name] })}
        JOIN campaign c ON ${sameTenant("c", "e")} AND c.goal IS NOT NULL
          AND c.goal ->> 'type' = 'event' AND c.goal ->> 'event' = e.name`),
    };
  },
) {}
