import { Effect } from "effect";
import { arrayOf } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { tenantIs } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

/** A send that lost deliveries, and whether all others have an outcome. */
export interface ReducedSend {
  readonly sourceId: bigint;
  readonly isComplete: boolean;
}

/** Statements that drop deliveries without an outcome. Bound: 200 devices; none for their deliveries. */
export class PushErasureSql extends SqlService<PushErasureSql>("waypost/sending/PushErasureSql")((sql) => {
  const isPending = (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>) => sql`
    ${tenantIs("d", tenant)} AND d.device_key = ANY (${arrayOf("int4", deviceKeys)})
    AND d.settled_at IS NULL`;
  return {
    /** Locks the sends of deliveries without an outcome. The lock order is always send, then queue. */
    lockSends: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>) =>
      Effect.orDie(sql`
        WITH pending AS MATERIALIZED (
          SELECT DISTINCT d.source_id FROM delivery d WHERE ${isPending(tenant, deviceKeys)}
        )
        SELECT 1 FROM send s
        WHERE ${tenantIs("s", tenant)} AND s.source_id IN (SELECT source_id FROM pending)
        ORDER BY s.source_id FOR NO KEY UPDATE`),

    /** Deletes deliveries without an outcome, and takes them out of the figures of their sends. */
    drop: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>) =>
      Effect.orDie(sql<ReducedSend>`
        WITH queued AS (
          DELETE FROM push_queue q
          WHERE ${tenantIs("q", tenant)} AND (q.source_id, q.device_key) IN (
            SELECT d.source_id, d.device_key FROM delivery d WHERE ${isPending(tenant, deviceKeys)})
        ), dropped AS (
          DELETE FROM delivery d WHERE ${isPending(tenant, deviceKeys)} RETURNING d.source_id, d.held_until
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
