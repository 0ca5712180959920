import { Effect } from "effect";
import type { SqlClient, Statement } from "effect/sql";
import { arrayOf, instant, unnested } from "../../../database/Rows.ts";
import { SqlService } from "../../../database/SqlService.ts";
import { sameTenant, tenantColumns } from "../../../database/TenantColumns.ts";
import type { SendQuietHours } from "../holding/SendQuietHours.ts";
import type { SendAudience, StartedSend } from "../Send.ts";

/** A leased batch. The fencing token `fence` grows with every lease. */
export interface TakenBatch extends StartedSend {
  readonly batch: number;
  readonly fence: number;
  /** Whether its devices are listed one by one; otherwise they are a range of device keys. */
  readonly listed: boolean;
  /** Listed, and most devices between its first and its last are its own: then reading them all is faster. */
  readonly dense: boolean;
  /** Batch 0 only: the audience to split into batches. */
  readonly audience: SendAudience | null;
  /** The quiet hours of its send; null for none. */
  readonly quiet: SendQuietHours | null;
  /** Whether its send has a pace: then all its deliveries wait in the queue. */
  readonly paced: boolean;
  /** Whether its campaign has an experiment. */
  readonly experiment: boolean;
  /** The most devices that it reaches; of batch 0, the most that are searched. */
  readonly width: number;
}

/**
 * The size of a listed batch from which it counts as a full one, in bytes. PostgreSQL may store longer lists
 * compressed, and reading them only to count them is slow.
 */
const maxPlainBytes = 1_900;

/**
 * How many keys a dense batch spans at most for each of its devices. A device that a range scan reads costs a
 * sixth of one that is looked up by its key.
 */
const maxSpread = 4;

/** The columns of started sends for `unnested`. */
export const sourceColumns = {
  ...tenantColumns,
  source_id: ["int8", ({ sourceId }: StartedSend) => sourceId],
} as const;
/** The columns of leased batches for `unnested`. */
export const batchColumns = {
  ...sourceColumns,
  batch: ["int4", ({ batch }: TakenBatch) => batch],
  fence: ["int4", ({ fence }: TakenBatch) => fence],
} as const;

/**
 * Condition: the row of an alias belongs to a send of a list. It stands beside joins with the list: without
 * it, and with the statistics of an empty table, PostgreSQL compares every row with every entry.
 */
export const isOneOfSends =
  (sql: SqlClient.SqlClient) =>
  (alias: string, sends: ReadonlyArray<StartedSend>): Statement.Fragment => {
    const sourceIds = sends.map(({ sourceId }) => sourceId);
    return sql`${sql(`${alias}.source_id`)} = ANY (${arrayOf("int8", sourceIds)})`;
  };

/** Statements that lease the batches of started sends. Bound: 500 batches. */
export class BatchLeasesSql extends SqlService<BatchLeasesSql>("waypost/sending/BatchLeasesSql")((sql) => {
  const isOneOf = isOneOfSends(sql);
  // A lease of a minute or more was taken before the clock was set back.
  const isOpen = (now: number) => sql`(b.leased_until IS NULL OR b.leased_until <= ${instant(now)}
      OR b.leased_until > ${instant(now + 60_000)})
    AND NOT (b.capped AND EXISTS (
      SELECT FROM send_batch e
      WHERE ${sameTenant("e", "b")} AND e.campaign_key = b.campaign_key AND e.source_id < b.source_id
    ))`;
  const width = (size: number) => sql`CASE WHEN b.devices IS NULL THEN b.last_key - b.first_key + 1
    WHEN pg_column_size(b.devices) > ${maxPlainBytes}::int THEN ${size}::int
    ELSE cardinality(b.devices) END`;
  const dense = sql`COALESCE(b.devices[cardinality(b.devices)] - b.devices[1]
    < ${maxSpread}::int * cardinality(b.devices), false)`;
  const leasing = (next: Statement.Fragment, now: number, leaseMillis: number, size: number) =>
    Effect.orDie(sql<TakenBatch>`
      WITH ${next}
      UPDATE send_batch b SET leased_until = ${instant(now + leaseMillis)}, fence = b.fence + 1
      FROM next n
      WHERE ${sameTenant("b", "n")} AND b.source_id = n.source_id AND b.batch = n.batch
      RETURNING b.workspace_id AS "workspaceId", b.environment, b.source_id AS "sourceId", b.batch,
        b.fence, b.devices IS NOT NULL AS listed, ${dense} AS dense, b.audience,
        b.quiet_hours AS quiet, ${width(size)} AS width,
        (SELECT s.paced FROM send s WHERE ${sameTenant("s", "b")} AND s.source_id = b.source_id) AS paced,
        (SELECT s.experiment FROM send s
          WHERE ${sameTenant("s", "b")} AND s.source_id = b.source_id) AS experiment`);

  return {
    /**
     * Leases one open batch. The first batches of all sends go before the second ones, so that a small send
     * does not wait for a large one. Only one send of a capped campaign runs at a time. `size`: of a full
     * batch.
     */
    take: (now: number, leaseMillis: number, size: number) =>
      leasing(
        sql`next AS (
          SELECT b.workspace_id, b.environment, b.source_id, b.batch FROM send_batch b
          WHERE ${isOpen(now)} ORDER BY b.batch, b.source_id LIMIT 1
          FOR UPDATE OF b SKIP LOCKED
        )`,
        now,
        leaseMillis,
        size,
      ),

    /** Leases the next open batches that have at most so many devices together. */
    takeMore: (now: number, leaseMillis: number, size: number, devices: number, limit: number) =>
      leasing(
        sql`open AS (
          SELECT b.workspace_id, b.environment, b.source_id, b.batch, ${width(size)} AS width
          FROM send_batch b
          WHERE ${isOpen(now)} ORDER BY b.batch, b.source_id LIMIT ${limit}
          FOR UPDATE OF b SKIP LOCKED
        ), summed AS (
          SELECT *, sum(width) OVER (ORDER BY batch, source_id) AS total FROM open
        ), next AS (
          SELECT * FROM summed WHERE total <= ${devices}::int
        )`,
        now,
        leaseMillis,
        size,
      ),

    /** Extends the leases of batches; does nothing for those that were lost. */
    renew: (taken: ReadonlyArray<TakenBatch>, now: number, leaseMillis: number) =>
      Effect.orDie(sql`
        UPDATE send_batch b SET leased_until = ${instant(now + leaseMillis)}
        FROM ${unnested("t", taken, batchColumns)}
        WHERE ${sameTenant("b", "t")} AND b.source_id = t.source_id AND b.batch = t.batch
          AND b.fence = t.fence AND ${isOneOf("b", taken)}`),
  };
}) {}
