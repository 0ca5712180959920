import { Effect } from "effect";
import { instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { tenantIs } from "../../database/TenantColumns.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import { pushKeyColumns } from "./PushColumnsSql.ts";
import type { QueuePartition, TakenPush } from "./PushQueueSql.ts";

/** Statements on pushes that were taken in the same transaction and are not sent. They lose no attempt. */
export class PushReturnsSql extends SqlService<PushReturnsSql>("waypost/sending/PushReturnsSql")((sql) => ({
  // Bound: the pushes of 1 take (512).
  postpone: (
    partition: QueuePartition,
    pushes: ReadonlyArray<{
      readonly sourceId: bigint;
      readonly deviceKey: DeviceKey;
      readonly dueAt: number;
    }>,
  ) =>
    Effect.orDie(sql`
        UPDATE push_queue q SET due_at = p.due_at, attempts = q.attempts - 1,
          first_at = CASE WHEN q.attempts > 1 THEN q.first_at END
        FROM ${unnested("p", pushes, {
          ...pushKeyColumns,
          due_at: ["timestamptz", ({ dueAt }) => dueAt],
        })}
        WHERE ${tenantIs("q", partition)} AND q.source_id = p.source_id AND q.device_key = p.device_key`),

  /** Gives pushes to the transport that their device has since. */
  move: (partition: QueuePartition, pushes: ReadonlyArray<TakenPush>, now: number) =>
    Effect.orDie(sql`
        WITH moved AS (
          UPDATE push_queue q SET transport = v.transport, due_at = ${instant(now)},
            attempts = q.attempts - 1, first_at = CASE WHEN q.attempts > 1 THEN q.first_at END
          FROM ${unnested("p", pushes, pushKeyColumns)}
          JOIN device v ON ${tenantIs("v", partition)} AND v.key = p.device_key
          WHERE ${tenantIs("q", partition)} AND q.source_id = p.source_id AND q.device_key = p.device_key
          RETURNING q.source_id, q.device_key, q.transport
        )
        UPDATE delivery d SET transport = m.transport FROM moved m
        WHERE ${tenantIs("d", partition)} AND d.source_id = m.source_id AND d.device_key = m.device_key`),
})) {}
