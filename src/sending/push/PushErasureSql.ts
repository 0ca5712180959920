import { Effect } from "effect";
import { arrayOf } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { columnValues } from "../../database/Statements.ts";
import { tenantIs } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

/** A send that lost deliveries, and whether all others have an outcome. */
export interface ReducedSend {
  readonly sourceId: bigint;
  readonly isComplete: boolean;
}

/** Statements that drop deliveries without an outcome. Bound: 1,000 deliveries (a page) of 200 devices. */
export class PushErasureSql extends SqlService<PushErasureSql>("waypost/sending/PushErasureSql")((sql) => {
  const pending = (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>) => sql`
    SELECT d.source_id, d.device_key FROM delivery d
    WHERE ${tenantIs("d", tenant)} AND d.device_key = ANY (${arrayOf("int4", deviceKeys)})
      AND d.settled_at IS NULL`;
  return {
    /**
     * Locks the sends of up to `limit` deliveries without an outcome, and gives their sources, of test sends
     * and events also. The lock order is always send, then queue.
     */
    lockSends: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>, limit: number) =>
      columnValues(sql<{ readonly id: bigint }>`
        WITH pending AS MATERIALIZED (${pending(tenant, deviceKeys)} LIMIT ${limit}), locked AS MATERIALIZED (
          SELECT s.source_id FROM send s
          WHERE ${tenantIs("s", tenant)} AND s.source_id IN (SELECT source_id FROM pending)
          ORDER BY s.source_id FOR NO KEY UPDATE
        )
        SELECT DISTINCT p.source_id AS id FROM pending p LEFT JOIN locked l ON l.source_id = p.source_id`),

    /**
     * Deletes up to `limit` deliveries of these sources without an outcome, and takes them out of the figures
     * of their sends.
     */
    drop: (
      tenant: TenantKey,
      deviceKeys: ReadonlyArray<DeviceKey>,
      sourceIds: ReadonlyArray<bigint>,
      limit: number,
    ) =>
      Effect.orDie(sql<ReducedSend>`
        WITH pending AS MATERIALIZED (
          ${pending(tenant, deviceKeys)} AND d.source_id = ANY (${arrayOf("int8", sourceIds)}) LIMIT ${limit}
        ), queued AS (
          DELETE FROM push_queue q USING pending p
          WHERE ${tenantIs("q", tenant)} AND q.source_id = p.source_id AND q.device_key = p.device_key
        ), dropped AS (
          DELETE FROM delivery d USING pending p
          WHERE ${tenantIs("d", tenant)} AND d.source_id = p.source_id AND d.device_key = p.device_key
            AND d.settled_at IS NULL
          RETURNING d.source_id, d.held_until
        )
        UPDATE send s SET targeted = s.targeted - n.count, held = s.held - n.held
        FROM (
          SELECT source_id, count(*)::int AS count, count(held_until)::int AS held
          FROM dropped GROUP BY source_id
        ) AS n
        WHERE ${tenantIs("s", tenant)} AND s.source_id = n.source_id
        RETURNING s.source_id AS "sourceId",
          s.status = 'running' AND s.delivered + s.failed + s.held = s.targeted AS "isComplete"`),
  };
}) {}
