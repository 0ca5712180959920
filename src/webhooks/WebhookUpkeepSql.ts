import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { epochMillis, instant, onlyRow } from "../database/Rows.ts";
import { rowCount } from "../database/Statements.ts";
import { sameTenant } from "../database/TenantColumns.ts";

type Table = "webhook_event" | "webhook_call" | "webhook_attempt";

/** Waiting events and calls. `oldest` is in epoch milliseconds, null for nothing. */
export interface WaitingCounts {
  readonly events: number;
  readonly calls: number;
  readonly oldest: number | null;
}

/** Statements that measure what waits, and delete what is no longer needed. */
export const webhookUpkeepSql = Effect.map(SqlClient.SqlClient, (sql) => {
  // Bound: a page of 1,000, or a count of 100,000.
  const isActive = (alias: string) => sql`EXISTS (
      SELECT FROM webhook w WHERE ${sameTenant("w", alias)} AND w.id = ${sql(`${alias}.webhook_id`)}
        AND w.status = 'active')`;
  const isOrphan = (alias: string) => sql`NOT EXISTS (
      SELECT FROM webhook w WHERE ${sameTenant("w", alias)} AND w.id = ${sql(`${alias}.webhook_id`)})`;

  return {
    /** Counts what waits for active webhooks, up to `limit` rows of each kind. */
    waiting: (limit: number) =>
      onlyRow(sql<WaitingCounts>`
          WITH waiting AS (
            SELECT e.size - e.called AS count, e.recorded_at FROM (
              SELECT * FROM webhook_event WHERE called < size LIMIT ${limit}
            ) AS e WHERE ${isActive("e")}
          )
          SELECT COALESCE((SELECT sum(count) FROM waiting), 0)::float8 AS events,
            (SELECT count(*) FROM (SELECT * FROM webhook_call WHERE given_up_at IS NULL LIMIT ${limit}) AS c
              WHERE ${isActive("c")})::int AS calls,
            ${epochMillis("(SELECT min(recorded_at) FROM waiting)")} AS oldest`),

    /** Deletes recordings that were sent before `sentBefore`, up to `limit`. */
    pruneSent: (sentBefore: number, limit: number) =>
      rowCount(sql`
          DELETE FROM webhook_event e WHERE e.ctid = ANY (ARRAY (
            SELECT o.ctid FROM webhook_event o
            WHERE o.called = o.size AND o.recorded_at < ${instant(sentBefore)} LIMIT ${limit}))
          RETURNING e.recording`),

    /**
     * Deletes recordings that wait since before `recordedBefore`, and returns how many of their events.
     */
    expireEvents: (recordedBefore: number, limit: number) =>
      onlyRow(sql<{ readonly rows: number; readonly events: number }>`
          WITH gone AS (
            DELETE FROM webhook_event e WHERE e.ctid = ANY (ARRAY (
              SELECT o.ctid FROM webhook_event o
              WHERE o.called < o.size AND o.recorded_at < ${instant(recordedBefore)} LIMIT ${limit}))
            RETURNING e.size - e.called AS count
          )
          SELECT count(*)::int AS rows, COALESCE(sum(count), 0)::int AS events FROM gone`),

    /**
     * Deletes calls whose events were recorded before `recordedBefore` and that are not given up, and
     * returns how many of their events.
     */
    expireCalls: (recordedBefore: number, limit: number) =>
      onlyRow(sql<{ readonly rows: number; readonly events: number }>`
          WITH gone AS (
            DELETE FROM webhook_call c WHERE c.ctid = ANY (ARRAY (
              SELECT o.ctid FROM webhook_call o
              WHERE o.given_up_at IS NULL AND o.recorded_at < ${instant(recordedBefore)} LIMIT ${limit}))
            RETURNING cardinality(c.event_ids) AS count
          )
          SELECT count(*)::int AS rows, COALESCE(sum(count), 0)::int AS events FROM gone`),

    /** Deletes calls that were given up before `givenUpBefore`, up to `limit`. */
    pruneGivenUp: (givenUpBefore: number, limit: number) =>
      rowCount(sql`
          DELETE FROM webhook_call c WHERE c.ctid = ANY (ARRAY (
            SELECT o.ctid FROM webhook_call o WHERE o.given_up_at < ${instant(givenUpBefore)} LIMIT ${limit}))
          RETURNING c.id`),

    /** Deletes successful attempts from before `succeededBefore`, and all from before `failedBefore`. */
    pruneAttempts: (succeededBefore: number, failedBefore: number, limit: number) =>
      rowCount(sql`
          DELETE FROM webhook_attempt a WHERE a.ctid = ANY (ARRAY (
            SELECT o.ctid FROM webhook_attempt o
            WHERE o.created_at < ${instant(failedBefore)}
              OR (o.created_at < ${instant(succeededBefore)} AND o.error IS NULL) LIMIT ${limit}))
          RETURNING a.id`),

    /** Deletes rows of webhooks that were deleted, up to `limit`. */
    pruneOrphans: (table: Table, limit: number) =>
      rowCount(sql`
          DELETE FROM ${sql(table)} r WHERE r.ctid = ANY (ARRAY (
            SELECT o.ctid FROM ${sql(table)} o WHERE ${isOrphan("o")} LIMIT ${limit}))
          RETURNING r.webhook_id`),
  };
});
