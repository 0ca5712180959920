/**
 * Common table expressions that write the deltas of rollups (docs/decisions/0025). They belong into the
 * statement that writes the source rows, so that both are committed together. `rows` selects the source rows
 * from earlier expressions; it must have each row once. A shard has no default for the id of a delta.
 */
import type { SqlClient, Statement } from "effect/sql";
import { instant } from "../database/Rows.ts";
import { table } from "../database/WorkspaceGroups.ts";
import { deliveredVariantsSql, variantCountsSql } from "./ExperimentCountsSql.ts";

/**
 * Deltas of deliveries that were settled: `rows` has the columns of `delivery_delta`, `settled_at`,
 * `variant`, `enrolled` and one `device_key` each. Test sends must be left out; rows without `settled_at`
 * are.
 */
export const deliveryDeltasSql = (sql: SqlClient.SqlClient, rows: Statement.Fragment): Statement.Fragment =>
  sql`${plainDeliveryDeltasSql(sql, rows)}, ${deliveredVariantsSql(sql, rows)}`;

/** `deliveryDeltasSql` of deliveries without an experiment, without `variant` and `enrolled`. */
export const plainDeliveryDeltasSql = (
  sql: SqlClient.SqlClient,
  rows: Statement.Fragment,
): Statement.Fragment =>
  sql`delivery_deltas AS (
    INSERT INTO ${table.delivery_delta} (workspace_id, environment, quarter, campaign_key, notification_key,
      content_type, trigger_type, status, device_keys, id) OVERRIDING SYSTEM VALUE
    SELECT workspace_id, environment, date_bin('15 minutes', settled_at, 'epoch'), campaign_key,
      notification_key, content_type, trigger_type, status, array_agg(device_key),
        nextval('delivery_delta_id_seq')
    FROM (${rows}) AS settled WHERE settled_at IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  )`;

/** `deliveryDeltasSql` of rows that are added up already: each has `device_keys`. All were settled `at`. */
export const addedDeliveryDeltasSql = (
  sql: SqlClient.SqlClient,
  rows: Statement.Fragment,
  at: number,
): Statement.Fragment =>
  sql`delivery_deltas AS (
    INSERT INTO ${table.delivery_delta} (workspace_id, environment, quarter, campaign_key, notification_key,
      content_type, trigger_type, status, device_keys)
    SELECT workspace_id, environment, date_bin('15 minutes', ${instant(at)}, 'epoch'), campaign_key,
      notification_key, content_type, trigger_type, status, device_keys
    FROM (${rows}) AS settled
  )`;

/** Deltas of new events: `rows` has the columns of `geofence_event` but `received_at`. */
export const eventDeltasSql = (sql: SqlClient.SqlClient, rows: Statement.Fragment): Statement.Fragment =>
  sql`event_deltas AS (
    INSERT INTO ${table.event_delta} (workspace_id, environment, quarter, device_keys, location_keys, types,
      event_ids, id) OVERRIDING SYSTEM VALUE
    SELECT workspace_id, environment, date_bin('15 minutes', occurred_at, 'epoch'),
      array_agg(device_key), array_agg(location_key), array_agg(type), array_agg(id),
        nextval('event_delta_id_seq')
    FROM (${rows}) AS added
    GROUP BY 1, 2, 3
  )`;

/**
 * Deltas of deliveries that were opened or clicked: `rows` has the columns of `interaction_delta`, `variant`
 * and `enrolled`, with the instant `at` instead of a quarter, and `opened` and `clicked` as 1 or 0.
 */
export const interactionDeltasSql = (
  sql: SqlClient.SqlClient,
  rows: Statement.Fragment,
): Statement.Fragment =>
  sql`interaction_deltas AS (
    INSERT INTO ${table.interaction_delta} (workspace_id, environment, quarter, campaign_key,
      notification_key,
      content_type, trigger_type, opened, clicked, id) OVERRIDING SYSTEM VALUE
    SELECT workspace_id, environment, date_bin('15 minutes', at, 'epoch'), campaign_key, notification_key,
      content_type, trigger_type, sum(opened), sum(clicked), nextval('interaction_delta_id_seq')
    FROM (${rows}) AS changed WHERE opened <> 0 OR clicked <> 0
    GROUP BY 1, 2, 3, 4, 5, 6, 7
  ), ${variantCountsSql(
    sql,
    "variant_interactions",
    sql`SELECT *, 0 AS delivered FROM (${rows}) AS changed`,
  )}`;

/**
 * Deltas of answers that were given, replaced or erased: `rows` has the columns of `survey_response`, and
 * `replaced`, the earlier answers, null for a first response.
 */
export const answerDeltasSql = (sql: SqlClient.SqlClient, rows: Statement.Fragment): Statement.Fragment => {
  const each = (answers: string, change: string) =>
    sql.literal(`SELECT workspace_id, environment, first_answered_at, campaign_key, notification_key,
      jsonb_array_elements(${answers}) AS answer, ${change} AS change`);
  return sql`response_deltas AS (
    INSERT INTO ${table.interaction_delta} (workspace_id, environment, quarter, campaign_key,
      notification_key,
      content_type, trigger_type, responses, id) OVERRIDING SYSTEM VALUE
    SELECT workspace_id, environment, date_bin('15 minutes', first_answered_at, 'epoch'), campaign_key,
      notification_key, 'survey', '', count(*), nextval('interaction_delta_id_seq')
    FROM (${rows}) AS stored WHERE replaced IS NULL
    GROUP BY 1, 2, 3, 4, 5
  ), answer_deltas AS (
    INSERT INTO ${table.answer_delta} (workspace_id, environment, quarter, campaign_key,
      notification_key, question_id,
      value, change, id) OVERRIDING SYSTEM VALUE
    SELECT workspace_id, environment, quarter, campaign_key, notification_key, question_id, value,
      sum(change), nextval('answer_delta_id_seq')
    FROM (
      SELECT workspace_id, environment, date_bin('15 minutes', first_answered_at, 'epoch') AS quarter,
        campaign_key, notification_key, (answer ->> 'question_id')::uuid AS question_id,
        answer_value(answer -> 'value') AS value, change
      FROM (
        ${each("answers", "1")} FROM (${rows}) AS stored
        UNION ALL
        ${each("replaced", "-1")} FROM (${rows}) AS stored
      ) AS answered
    ) AS valued
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(change) <> 0
  )`;
};

/**
 * The delta of devices that were registered or unregistered: `rows` has the tenant columns, and `change` as 1
 * or -1.
 */
export const deviceDeltasSql = (sql: SqlClient.SqlClient, rows: Statement.Fragment): Statement.Fragment =>
  sql`device_deltas AS (
    INSERT INTO ${table.device_delta} (workspace_id, environment, change)
    SELECT workspace_id, environment, sum(change) FROM (${rows}) AS registered
    GROUP BY 1, 2 HAVING sum(change) <> 0
  )`;
