import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { asNumber } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import type { Tenant } from "../../../workspaces/Workspace.ts";
import { reportConditions, type ReportScope } from "../../ReportConditionsSql.ts";
import type { InteractionCounts, ResponseCounts } from "../../ReportCounts.ts";
import { interactions, outcomes, within } from "../../SourceRowsSql.ts";
import { rowsOfParts } from "./RollupPartsSql.ts";
import type { ScopeSplit } from "./ScopeSplit.ts";

/**
 * The statements that count interactions and responses: in rollups, pending deltas, and source rows that are
 * in no rollups. None of them counts distinct devices, so the database adds them up. Bound: a row for each
 * notification and arm of 366 days.
 */
export class InteractionReaderSql extends SqlService<InteractionReaderSql>(
  "waypost/reports/rollups/reading/InteractionReaderSql",
)((sql) => {
  const unionOf = ([first = sql`SELECT`, ...rest]: ReadonlyArray<Statement.Fragment>) =>
    rest.reduce((before, query) => sql`${before} UNION ALL ${query}`, first);

  /** Deliveries and interactions in rollups and pending deltas, by notification. */
  const rolledUpInteractions = (tenant: Tenant, scope: ReportScope, { parts }: ScopeSplit) => {
    const { outcomeMatches } = reportConditions(sql, tenant, scope);
    return [
      sql`SELECT notification_key, delivered, 0 AS opened, 0 AS clicked FROM ${rowsOfParts(
        sql,
        parts,
        (isInPart) => sql`
          SELECT notification_key, delivered FROM delivery_rollup
          WHERE ${outcomeMatches} AND ${isInPart} AND campaign_key <> 0`,
      )}`,
      sql`SELECT notification_key, 0, opened, clicked FROM ${rowsOfParts(
        sql,
        parts,
        (isInPart) => sql`
          SELECT notification_key, opened, clicked FROM interaction_rollup
          WHERE ${outcomeMatches} AND ${isInPart}`,
      )}`,
      sql`SELECT notification_key, cardinality(device_keys), 0, 0 FROM delivery_delta
        WHERE ${outcomeMatches} AND status = 'delivered' AND ${within(sql, "quarter", scope.range)}`,
      sql`SELECT notification_key, 0, opened, clicked FROM interaction_delta
        WHERE ${outcomeMatches} AND ${within(sql, "quarter", scope.range)}`,
    ];
  };

  /** The same in source rows. */
  const rawInteractions = (tenant: Tenant, scope: ReportScope) => {
    const { deliveryCounts, outcomeMatches } = reportConditions(sql, tenant, scope);
    return [
      sql`SELECT notification_key, 1 AS delivered, 0 AS opened, 0 AS clicked
        FROM ${outcomes(sql, scope.range)} WHERE ${deliveryCounts}`,
      sql`SELECT notification_key, 0, opened, clicked FROM ${interactions(sql, scope.range)}
        WHERE ${outcomeMatches} AND ${within(sql, "at", scope.range)}`,
    ];
  };

  /** Responses in rollups and pending deltas, by campaign and notification. */
  const rolledUpResponses = (tenant: Tenant, scope: ReportScope, { parts }: ScopeSplit) => {
    const { mine } = reportConditions(sql, tenant, scope);
    return [
      sql`SELECT campaign_key, notification_key, responses FROM ${rowsOfParts(
        sql,
        parts,
        (isInPart) => sql`
          SELECT campaign_key, notification_key, responses FROM interaction_rollup
          WHERE ${mine} AND ${isInPart} AND responses <> 0`,
      )}`,
      sql`SELECT campaign_key, notification_key, responses FROM interaction_delta
        WHERE ${mine} AND responses <> 0 AND ${within(sql, "quarter", scope.range)}`,
    ];
  };

  /** The same in source rows. */
  const rawResponses = (tenant: Tenant, scope: ReportScope) => {
    const { mine } = reportConditions(sql, tenant, scope);
    return [
      sql`SELECT campaign_key, notification_key, 1 AS responses FROM survey_response
        WHERE ${mine} AND ${within(sql, "first_answered_at", scope.range)}`,
    ];
  };

  return {
    /** Deliveries, and deliveries opened and clicked, of each notification in the range. */
    interactions: (tenant: Tenant, split: ScopeSplit) =>
      Effect.orDie(sql<InteractionCounts>`
        SELECT notification_key AS key, ${asNumber("sum(delivered)")} AS delivered,
          ${asNumber("sum(opened)")} AS opened, ${asNumber("sum(clicked)")} AS clicked
        FROM (${unionOf([
          ...(split.rolledUp === undefined ? [] : rolledUpInteractions(tenant, split.rolledUp, split)),
          ...(split.raw === undefined ? [] : rawInteractions(tenant, split.raw)),
        ])}) AS counted
        GROUP BY 1`),

    /** Responses to each survey on each campaign in the range, dated by the first answer (K9). */
    responses: (tenant: Tenant, split: ScopeSplit) =>
      Effect.orDie(sql<ResponseCounts>`
        SELECT campaign_key AS "campaignKey", notification_key AS "notificationKey",
          ${asNumber("sum(responses)")} AS responses
        FROM (${unionOf([
          ...(split.rolledUp === undefined ? [] : rolledUpResponses(tenant, split.rolledUp, split)),
          ...(split.raw === undefined ? [] : rawResponses(tenant, split.raw)),
        ])}) AS counted
        GROUP BY 1, 2`),
  };
}) {}
