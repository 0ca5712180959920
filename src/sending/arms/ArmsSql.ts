/** The arms of units and their enrolment, as parts of the statements that create deliveries (contract U3, U4). */
import type { SqlClient, Statement } from "effect/sql";
import { unnested } from "../../database/Rows.ts";
import { table, workspaceIs } from "../../database/WorkspaceGroups.ts";
import { sourceColumns } from "../sends/batches/BatchLeasesSql.ts";
import type { StartedSend } from "../sends/Send.ts";
import type { armRuleOf } from "./Experiment.ts";

/** What decides on the arms of the units of a send. */
export type SendArms = StartedSend & ReturnType<typeof armRuleOf>;

const hex = (threshold: bigint): string => threshold.toString(16).padStart(16, "0");

/**
 * Common table expression `arm_rule`: a row of each send, with the thresholds as bytes. A digest is compared
 * with a threshold as bytes are, from the first on: so only its first eight count.
 */
export const armRulesSql = (
  sql: SqlClient.SqlClient,
  arms: ReadonlyArray<SendArms>,
): Statement.Fragment => sql`
  arm_rule AS MATERIALIZED (
    SELECT q.workspace_id, q.environment, q.source_id, q.holdout_text, q.variant_text, q.winner, q.enrols,
      q.goal, q.goal_hours,
      decode(q.below, 'hex') AS holdout_below,
      ARRAY (SELECT decode(b.hex, 'hex') FROM jsonb_array_elements_text(q.thresholds)
        WITH ORDINALITY AS b (hex, ord) ORDER BY b.ord) AS thresholds,
      ARRAY (SELECT k.key FROM jsonb_array_elements_text(q.keys)
        WITH ORDINALITY AS k (key, ord) ORDER BY k.ord) AS keys
    FROM ${unnested("q", arms, {
      ...sourceColumns,
      holdout_text: ["text", (each) => each.holdoutText],
      below: ["text", ({ holdoutBelow }) => (holdoutBelow === null ? null : hex(holdoutBelow))],
      variant_text: ["text", (each) => each.variantText],
      thresholds: ["jsonb", ({ below }) => below.map(hex)],
      keys: ["jsonb", ({ keys }) => keys],
      winner: ["text", ({ winner }) => winner],
      enrols: ["bool", ({ enrols }) => enrols],
      goal: ["text", ({ goal }) => goal],
      goal_hours: ["int4", ({ goalHours }) => goalHours],
    })}
  )`;

const digest = (sql: SqlClient.SqlClient, prefix: string) =>
  sql`sha256(convert_to(${sql(prefix)} || due.unit, 'UTF8'))`;

/** The columns of a row `due` with a `unit`, by its rule `q`: whether it is held out, and its variant. */
export const armSql = (sql: SqlClient.SqlClient): Statement.Fragment => sql`q.winner, q.enrols,
  q.goal, q.goal_hours,
  CASE WHEN q.holdout_below IS NULL THEN false
    ELSE ${digest(sql, "q.holdout_text")} < q.holdout_below END AS held_out,
  CASE WHEN cardinality(q.keys) > 0
    THEN q.keys[1 + width_bucket(${digest(sql, "q.variant_text")}, q.thresholds)] END AS variant`;

/**
 * Common table expressions that enrol units, and end in `enrolled`, the new rows, with their counts. `rows`
 * selects from earlier expressions: the tenant, `campaign_key`, `notification_key`, `unit_key`, `held_out`,
 * `variant`, `goal`, `goal_hours`, the instant `now` and `rank`, which is 1 for the first row of a unit in its campaign. They are
 * always inserted in the same order, so that two transactions that enrol the same people do not deadlock.
 */
export const enrolledSql = (sql: SqlClient.SqlClient, rows: Statement.Fragment): Statement.Fragment => sql`
  enrolling AS MATERIALIZED (
    SELECT r.workspace_id, r.environment, r.campaign_key, r.unit_key, r.now, r.goal,
      r.now + r.goal_hours * interval '1 hour' AS goal_until,
      CASE WHEN r.held_out OR r.variant IS NULL THEN 0 ELSE r.notification_key END AS notification_key,
      CASE WHEN r.held_out THEN 'holdout' ELSE COALESCE(r.variant, 'all') END AS arm,
      r.rank = 1 AND (
        SELECT 1 FROM ${table.enrolment} e
        WHERE ${workspaceIs("e", "r")} AND e.environment = r.environment
          AND e.campaign_key = r.campaign_key AND e.unit_key = r.unit_key LIMIT 1
      ) IS NULL AS is_first
    FROM (${rows}) AS r
  ), enrolled AS (
    INSERT INTO ${table.enrolment} (workspace_id, environment, campaign_key, unit_key, notification_key,
      is_first, arm, enrolled_at, goal, goal_until)
    SELECT workspace_id, environment, campaign_key, unit_key, notification_key, is_first, arm, now, goal,
      goal_until
    FROM enrolling WHERE is_first OR notification_key <> 0
    ORDER BY campaign_key, unit_key, notification_key
    ON CONFLICT DO NOTHING
    RETURNING workspace_id, environment, campaign_key, notification_key, is_first, arm, enrolled_at
  ), enrolled_counts AS (
    INSERT INTO ${table.enrolment_count} (workspace_id, environment, campaign_key, notification_key, arm, at,
      enrolled, id) OVERRIDING SYSTEM VALUE
    SELECT *, nextval('enrolment_count_id_seq') FROM (
      SELECT workspace_id, environment, campaign_key, notification_key, arm, min(enrolled_at), count(*)::int
      FROM enrolled WHERE notification_key <> 0 GROUP BY 1, 2, 3, 4, 5
      UNION ALL
      SELECT workspace_id, environment, campaign_key, 0, first_arm, min(enrolled_at), count(*)::int
      FROM (
        SELECT *, CASE WHEN notification_key = 0 THEN arm ELSE 'all' END AS first_arm FROM enrolled
      ) AS first WHERE is_first GROUP BY 1, 2, 3, 4, 5
    ) AS counted
  )`;

/** Columns of any row: how many units `enrolledSql` enrolled in their campaigns. */
export const enrolledCountSql = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  (SELECT count(*)::int FROM enrolled WHERE is_first AND notification_key = 0 AND arm = 'holdout') AS holdout,
  (SELECT count(*)::int FROM enrolled
    WHERE is_first AND NOT (notification_key = 0 AND arm = 'holdout')) AS "all"`;
