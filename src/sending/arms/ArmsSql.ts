/** The arms of units and their enrolment, as parts of statements that create deliveries (contract U3, U4). */
import type { SqlClient, Statement } from "effect/sql";
import { unnested } from "../../database/Rows.ts";
import { table, workspaceIs } from "../../database/WorkspaceGroups.ts";
import { sourceColumns } from "../sends/batches/BatchLeasesSql.ts";
import type { StartedSend } from "../sends/Send.ts";
import type { armRuleOf } from "./Experiment.ts";

/** The rule that decides on the arms of the units of a send. */
export type SendArms = StartedSend &
  ReturnType<typeof armRuleOf> & {
    /** Whether nothing else can have enrolled units of its campaign. */
    readonly isFirst: boolean;
  };

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

/** The columns of units to enrol, of `rows` as `enrolledSql` takes them. */
const enrollingSql = (rows: Statement.Fragment, sql: SqlClient.SqlClient, isFirst: Statement.Fragment) => sql`
  SELECT r.workspace_id, r.environment, r.campaign_key, r.unit_key,
    CASE WHEN r.held_out OR r.variant IS NULL THEN 0 ELSE r.notification_key END AS notification_key,
    ${isFirst} AS is_first,
    CASE WHEN r.held_out THEN 'holdout' ELSE COALESCE(r.variant, 'all') END AS arm,
    r.now AS enrolled_at, r.goal, r.now + r.goal_hours * interval '1 hour' AS goal_until
  FROM (${rows}) AS r`;

const enrolmentColumns = `workspace_id, environment, campaign_key, unit_key, notification_key, is_first, arm,
  enrolled_at, goal, goal_until`;
const armColumns = "workspace_id, environment, campaign_key, notification_key, arm, is_first";

/** Common table expressions that count new enrolments, `sums` being their numbers by `armColumns`. */
const enrolledCountsSql = (sql: SqlClient.SqlClient, sums: Statement.Fragment): Statement.Fragment => sql`
  enrolled_sum AS MATERIALIZED (${sums}), enrolled_counts AS (
    INSERT INTO ${table.enrolment_count} (workspace_id, environment, campaign_key, notification_key, arm, at,
      enrolled, id) OVERRIDING SYSTEM VALUE
    SELECT *, nextval('enrolment_count_id_seq') FROM (
      SELECT workspace_id, environment, campaign_key, notification_key, arm, min(at), sum(count)::int
      FROM enrolled_sum WHERE notification_key <> 0 GROUP BY 1, 2, 3, 4, 5
      UNION ALL
      SELECT workspace_id, environment, campaign_key, 0, first_arm, min(at), sum(count)::int
      FROM (
        SELECT *, CASE WHEN notification_key = 0 THEN arm ELSE 'all' END AS first_arm FROM enrolled_sum
      ) AS first WHERE is_first GROUP BY 1, 2, 3, 4, 5
    ) AS counted
  )`;

/**
 * Common table expressions that enrol units, and end in `enrolled_sum`, the numbers of new rows, with their
 * counts. `rows` selects from earlier expressions: the tenant, `campaign_key`, `notification_key`,
 * `unit_key`, `held_out`, `variant`, `goal`, `goal_hours`, the instant `now` and `rank`, which is 1 for the
 * first row of a unit in its campaign. They are always inserted in the same order, so that two transactions
 * that enrol the same people do not deadlock; of several rows with one key the first of the campaign is it.
 */
export const enrolledSql = (sql: SqlClient.SqlClient, rows: Statement.Fragment): Statement.Fragment => sql`
  enrolling AS MATERIALIZED (
    ${enrollingSql(
      rows,
      sql,
      sql`r.rank = 1 AND (
        SELECT 1 FROM ${table.enrolment} e
        WHERE ${workspaceIs("e", "r")} AND e.environment = r.environment
          AND e.campaign_key = r.campaign_key AND e.unit_key = r.unit_key LIMIT 1
      ) IS NULL`,
    )}
  ), enrolled AS (
    INSERT INTO ${table.enrolment} (${sql.literal(enrolmentColumns)})
    SELECT ${sql.literal(enrolmentColumns)} FROM enrolling WHERE is_first OR notification_key <> 0
    ORDER BY campaign_key, unit_key, notification_key, is_first DESC
    ON CONFLICT DO NOTHING
    RETURNING ${sql.literal(armColumns)}, enrolled_at
  ), ${enrolledCountsSql(
    sql,
    sql`SELECT ${sql.literal(armColumns)}, min(enrolled_at) AS at, count(*) AS count
      FROM enrolled GROUP BY 1, 2, 3, 4, 5, 6`,
  )}`;

/**
 * `enrolledSql` for the first sends of campaigns: nobody is enrolled yet, and no other transaction has the
 * devices of a batch. Only people can have devices in two batches. It takes half the time.
 */
export const enrolledFirstSql = (
  sql: SqlClient.SqlClient,
  rows: Statement.Fragment,
): Statement.Fragment => sql`
  enrolling AS NOT MATERIALIZED (${enrollingSql(rows, sql, sql`true`)}), enrolled_device AS (
    INSERT INTO ${table.enrolment} (${sql.literal(enrolmentColumns)})
    SELECT ${sql.literal(enrolmentColumns)} FROM enrolling WHERE unit_key > 0
  ), enrolled AS (
    INSERT INTO ${table.enrolment} (${sql.literal(enrolmentColumns)})
    SELECT ${sql.literal(enrolmentColumns)} FROM enrolling WHERE unit_key < 0
    ORDER BY campaign_key, unit_key, notification_key
    ON CONFLICT DO NOTHING
    RETURNING ${sql.literal(armColumns)}, enrolled_at
  ), ${enrolledCountsSql(
    sql,
    sql`SELECT ${sql.literal(armColumns)}, min(enrolled_at) AS at, count(*) AS count
      FROM enrolled GROUP BY 1, 2, 3, 4, 5, 6
      UNION ALL
      SELECT ${sql.literal(armColumns)}, min(enrolled_at), count(*)
      FROM enrolling WHERE unit_key > 0 GROUP BY 1, 2, 3, 4, 5, 6`,
  )}`;

/** Columns of any row: how many units `enrolledSql` enrolled in their campaigns. */
export const enrolledCountSql = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  COALESCE((SELECT sum(count)::int FROM enrolled_sum
    WHERE is_first AND notification_key = 0 AND arm = 'holdout'), 0) AS holdout,
  COALESCE((SELECT sum(count)::int FROM enrolled_sum
    WHERE is_first AND NOT (notification_key = 0 AND arm = 'holdout')), 0) AS "all"`;
