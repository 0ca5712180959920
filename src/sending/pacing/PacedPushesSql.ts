import { Effect } from "effect";
import { unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { tenantIs } from "../../database/TenantColumns.ts";
import { pushKeyColumns } from "../push/PushColumnsSql.ts";
import type { QueuePartition, TakenPush } from "../push/PushQueueSql.ts";
import type { KeptFacts } from "../rendering/KeptFacts.ts";

/** Statements on taken pushes of sends with a pace. Bound: 512 pushes. */
export class PacedPushesSql extends SqlService<PacedPushesSql>("waypost/sending/PacedPushesSql")((sql) => {
  return {
    /** Returns pushes to the queue that were taken in the same transaction and wait for a permit. */
    wait: (partition: QueuePartition, pushes: ReadonlyArray<TakenPush>) =>
      Effect.orDie(sql`
        UPDATE push_queue q SET due_at = 'infinity', permit = 1, attempts = 0, first_at = NULL
        FROM ${unnested("p", pushes, pushKeyColumns)}
        WHERE ${tenantIs("q", partition)} AND q.source_id = p.source_id AND q.device_key = p.device_key`),

    /** Stores what deliveries keep that are rendered only now (contract T7). */
    keep: (
      partition: QueuePartition,
      pushes: ReadonlyArray<Pick<TakenPush, "sourceId" | "deviceKey"> & { readonly kept: KeptFacts }>,
    ) =>
      Effect.orDie(sql`
        UPDATE delivery d SET recipient = p.recipient
        FROM ${unnested("p", pushes, { ...pushKeyColumns, recipient: ["jsonb", ({ kept }) => kept] })}
        WHERE ${tenantIs("d", partition)} AND d.source_id = p.source_id AND d.device_key = p.device_key`),
  };
}) {}
