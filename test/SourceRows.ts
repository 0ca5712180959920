import { Effect } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import {
  answerDeltasSql,
  deliveryDeltasSql,
  deviceDeltasSql,
  eventDeltasSql,
  interactionDeltasSql,
} from "../src/deltas/DeltasSql.ts";

/**
 * Writes source rows by hand, with the deltas of rollups in the same statement, as Waypost's own statements
 * do. Each takes an `INSERT` or `UPDATE` without `RETURNING`, of a table without an alias.
 */
const written = (
  table: string,
  statement: Statement.Fragment,
  deltas: (sql: SqlClient.SqlClient) => ReadonlyArray<Statement.Fragment>,
): Effect.Effect<void, never, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(
      Effect.asVoid(sql`
        WITH written AS (${statement} RETURNING ${sql(table)}.*)
          ${deltas(sql).reduce((before, each) => sql`${before}, ${each}`, sql``)}
        SELECT 1 FROM written`),
    ),
  );

/** The effect of a statement on all of its deliveries that have the instant of it. */
interface Changes {
  readonly settles?: boolean;
  readonly opens?: boolean;
  readonly clicks?: boolean;
}

/** Writes deliveries; without `changes` new ones. */
export const writeDeliveries = (
  statement: Statement.Fragment,
  changes: Changes = { settles: true, opens: true, clicks: true },
) =>
  written("delivery", statement, (sql) => [
    ...(changes.settles === true ? [deliveryDeltasSql(sql, sql`SELECT * FROM written WHERE NOT test`)] : []),
    ...(changes.opens === true || changes.clicks === true
      ? [
          interactionDeltasSql(
            sql,
            sql`
              SELECT *, opened_at AS at, ${changes.opens === true}::int AS opened, 0 AS clicked FROM written
              WHERE opened_at IS NOT NULL AND NOT test
              UNION ALL
              SELECT *, clicked_at, 0, ${changes.clicks === true}::int FROM written
              WHERE clicked_at IS NOT NULL AND NOT test`,
          ),
        ]
      : []),
  ]);

/** Writes new events. */
export const writeEvents = (statement: Statement.Fragment) =>
  written("geofence_event", statement, (sql) => [eventDeltasSql(sql, sql`SELECT * FROM written`)]);

/** Writes devices, each of which is registered (1) or unregistered (-1). */
export const writeDevices = (statement: Statement.Fragment, change: 1 | -1) =>
  written("device", statement, (sql) => [
    deviceDeltasSql(
      sql,
      sql`SELECT workspace_id, environment, ${change}::int AS change FROM written
        WHERE (unregistered_at IS NULL) = (${change}::int = 1)`,
    ),
  ]);

/** Writes first responses to surveys. */
export const writeResponses = (statement: Statement.Fragment) =>
  written("survey_response", statement, (sql) => [
    answerDeltasSql(sql, sql`SELECT *, NULL::jsonb AS replaced FROM written`),
  ]);

/** Gives devices of a workspace another person, as registering them again would. */
export const setPerson = (deviceId: string, userId: string | null) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(
      Effect.asVoid(sql`
        WITH own AS (
          SELECT workspace_id, environment, key FROM device WHERE id = ${deviceId}
        ), person AS (
          INSERT INTO device_user (workspace_id, environment, user_id)
          SELECT workspace_id, environment, ${userId}::text FROM own WHERE ${userId}::text IS NOT NULL
          ON CONFLICT (user_id, workspace_id, environment) DO UPDATE SET user_id = EXCLUDED.user_id
          RETURNING key
        )
        UPDATE device d SET user_id = ${userId}::text, user_key = (SELECT key FROM person) FROM own
        WHERE d.workspace_id = own.workspace_id AND d.environment = own.environment AND d.key = own.key`),
    ),
  );
