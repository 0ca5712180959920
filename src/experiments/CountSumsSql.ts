import { Effect } from "effect";
import type { SqlClient } from "effect/sql";
import { arrayOf } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { tenantIs } from "../database/TenantColumns.ts";
import { table, workspaceStatements } from "../database/WorkspaceGroups.ts";
import type { CampaignKey } from "../wire/Ids.ts";
import { eachApart } from "../workers/WorkspaceTurns.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import { type EarlyGoals, earlyGoals } from "./EarlyGoalsSql.ts";

/**
 * The tables of counts: the columns that name a sum, their instant and its span, and the figures. Local days
 * begin at quarters of an hour in every time zone.
 */
const tables = [
  {
    name: "enrolment_count",
    key: ["notification_key", "arm"],
    at: "at",
    span: "15 minutes",
    figures: ["enrolled", "delivered", "converted"],
  },
  {
    name: "variant_count",
    key: ["notification_key", "variant", "content_type", "trigger_type"],
    at: "quarter",
    span: "15 minutes",
    figures: ["delivered", "opened", "clicked"],
  },
] as const;

/** Campaigns whose counts one run adds up. */
const maxCampaigns = 1_000;

/**
 * Adds new counts to the sums of their keys and spans. A statement replaces both, so in every snapshot the
 * sum of all rows is exact. Of two processes that meet, the second finds the new rows gone. New enrolments
 * remain until `ready` has checked what their units did before they were seen to be enrolled. Bound: 1,000
 * campaigns.
 */
const addUp = (sql: SqlClient.SqlClient, ready: EarlyGoals) =>
  Effect.forEach(
    tables,
    ({ at, figures, key, name, span }) =>
      Effect.gen(function* () {
        const campaigns = yield* Effect.orDie(sql<TenantKey & { readonly campaignKey: CampaignKey }>`
          SELECT DISTINCT workspace_id AS "workspaceId", environment, campaign_key AS "campaignKey"
          FROM ${sql(name)} WHERE NOT is_sum LIMIT ${maxCampaigns}`);
        const moment = sql.literal(at);
        const names = sql.literal(key.join(", "));
        const start = sql.literal(`date_bin('${span}', ${at}, 'epoch')`);
        const isSameKey = sql.literal(key.map((column) => `c.${column} = n.${column}`).join(" AND "));
        const held = name === "enrolment_count" ? yield* ready(campaigns) : null;
        yield* eachApart(campaigns, ({ campaignKey, ...tenant }) => {
          const checked = held?.get(campaignKey);
          const isReady =
            checked === undefined
              ? sql``
              : sql`AND (c.enrolled = 0 OR c.id = ANY (${arrayOf("int8", checked)}))`;
          return workspaceStatements(sql).onShard([tenant])(
            () => sql`
            WITH new AS (
              DELETE FROM ${table[name]} c
              WHERE ${tenantIs("c", tenant)} AND c.campaign_key = ${campaignKey} AND NOT c.is_sum
                ${isReady}
              RETURNING c.*
            ), earlier AS (
              DELETE FROM ${table[name]} c USING (SELECT DISTINCT ${names}, ${start} AS start FROM new) AS n
              WHERE ${tenantIs("c", tenant)} AND c.campaign_key = ${campaignKey} AND c.is_sum
                AND ${isSameKey} AND date_bin(${sql.literal(`'${span}', c.${at}`)}, 'epoch') = n.start
              RETURNING c.*
            ), added AS (
              INSERT INTO ${table[name]} (workspace_id, environment, campaign_key, ${names}, ${moment},
                ${sql.literal(figures.join(", "))}, is_sum, id) OVERRIDING SYSTEM VALUE
              SELECT workspace_id, environment, campaign_key, ${names}, min(${moment}),
                ${sql.literal(figures.map((figure) => `sum(${figure})`).join(", "))}, true,
                ${sql.literal(`nextval('${name}_id_seq')`)}
              FROM (SELECT * FROM new UNION ALL SELECT * FROM earlier) AS counted
              GROUP BY workspace_id, environment, campaign_key, ${names}, ${start}
            )
            SELECT 1`,
          );
        });
      }),
    { discard: true },
  );

/** Statements that add up the counts of experiments, so that their figures are read from few rows. */
export class CountSumsSql extends SqlService<CountSumsSql>("waypost/experiments/CountSumsSql")((sql) => ({
  addUp: addUp(sql, earlyGoals(sql)),
})) {}
