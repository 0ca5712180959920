/**
 * Common table expressions that keep the figures of experiments up to date (contract U5, U6). As those of
 * `DeltasSql.ts`, they belong into the statement that writes the source rows.
 */
import type { SqlClient, Statement } from "effect/sql";
import { lockedSql, table, workspaceIs } from "../database/WorkspaceGroups.ts";

/**
 * Deliveries of units of experiments that were delivered, opened or clicked: `rows` has the columns of
 * `delivery`, the instant `at`, and `delivered`, `opened` and `clicked` as 1 or 0. Others are left out.
 */
export const variantCountsSql = (
  sql: SqlClient.SqlClient,
  name: "variant_deliveries" | "variant_interactions",
  rows: Statement.Fragment,
): Statement.Fragment =>
  sql`${sql(name)} AS (
    INSERT INTO ${table.variant_count} (workspace_id, environment, campaign_key, notification_key, variant,
      content_type, trigger_type, quarter, delivered, opened, clicked, id) OVERRIDING SYSTEM VALUE
    SELECT workspace_id, environment, campaign_key, notification_key, COALESCE(variant, ''), content_type,
      trigger_type, date_bin('15 minutes', at, 'epoch'), sum(delivered), sum(opened), sum(clicked),
      nextval('variant_count_id_seq')
    FROM (${rows}) AS counted WHERE enrolled AND delivered + opened + clicked > 0
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  )`;

/** The same of deliveries that were settled: `rows` is as for `deliveryDeltasSql`. */
export const deliveredVariantsSql = (
  sql: SqlClient.SqlClient,
  rows: Statement.Fragment,
): Statement.Fragment =>
  variantCountsSql(
    sql,
    "variant_deliveries",
    sql`SELECT *, settled_at AS at, 1 AS delivered, 0 AS opened, 0 AS clicked
      FROM (${rows}) AS settled WHERE status = 'delivered'`,
  );

/**
 * Converts the units that have reached their goal, each once, and counts them by quarters of an hour. What is
 * reported late can come before what has converted a unit: the conversion then moves. `reached` has the
 * tenant, `campaign_key`, `unit_key`, `goal` (as in `enrolment`), the instant `at`, and `is_reply`: an
 * interaction counts from the instant of the enrolment on, because it cannot come before the message;
 * anything else only after it. `condition` is over `reached r` and `enrolment e`. Units are locked in the
 * order of their keys. `before` is then of the newest version of the row, which the snapshot of the statement
 * may not have: so the update does not compare it. Bound: the rows of 1 statement, on a few campaigns each.
 */
export const conversionsSql = (
  sql: SqlClient.SqlClient,
  reached: Statement.Fragment,
  condition: Statement.Fragment = sql`true`,
): Statement.Fragment =>
  sql`reached AS MATERIALIZED (
    ${reached}
  ), converting AS MATERIALIZED (${lockedSql(
    sql,
    sql`SELECT e.workspace_id, e.environment, e.campaign_key, e.unit_key, e.notification_key, r.at,
        e.converted_at AS before
      FROM reached r
      JOIN ${table.enrolment} e ON ${workspaceIs("e", "r")} AND e.environment = r.environment
        AND e.campaign_key = r.campaign_key AND e.unit_key = r.unit_key AND e.goal = r.goal
      WHERE (e.converted_at IS NULL OR r.at < e.converted_at) AND r.at <= e.goal_until
        AND (r.at > e.enrolled_at OR r.is_reply AND r.at = e.enrolled_at) AND ${condition}
      ORDER BY e.campaign_key, e.unit_key, e.notification_key
      FOR NO KEY UPDATE OF e`,
  )}), converted AS (
    UPDATE ${table.enrolment} e SET converted_at = c.at
    FROM (
      SELECT workspace_id, environment, campaign_key, unit_key, notification_key, before, min(at) AS at
      FROM converting GROUP BY 1, 2, 3, 4, 5, 6
    ) AS c
    WHERE ${workspaceIs("e", "c")} AND e.environment = c.environment AND e.campaign_key = c.campaign_key
      AND e.unit_key = c.unit_key AND e.notification_key = c.notification_key
    RETURNING e.workspace_id, e.environment, e.campaign_key, e.notification_key, e.arm, e.is_first,
      c.at, c.before
  ), converted_at AS (
    SELECT *, 1 AS converted FROM converted
    UNION ALL
    SELECT workspace_id, environment, campaign_key, notification_key, arm, is_first, before, NULL, -1
    FROM converted WHERE before IS NOT NULL
  ), conversion_counts AS (
    INSERT INTO ${table.enrolment_count} (workspace_id, environment, campaign_key, notification_key, arm, at,
      converted, id) OVERRIDING SYSTEM VALUE
    SELECT workspace_id, environment, campaign_key, notification_key, arm, min(at), sum(converted),
      nextval('enrolment_count_id_seq')
    FROM (
      SELECT workspace_id, environment, campaign_key, notification_key, arm, at, converted FROM converted_at
      UNION ALL
      SELECT workspace_id, environment, campaign_key, 0, 'all', at, converted
      FROM converted_at WHERE is_first AND notification_key <> 0
    ) AS arms
    GROUP BY 1, 2, 3, 4, 5, date_bin('15 minutes', at, 'epoch')
  )`;
