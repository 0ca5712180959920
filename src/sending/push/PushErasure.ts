import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { SendBatchesSql } from "../sends/SendBatchesSql.ts";
import { logDone } from "../sends/SendMetrics.ts";
import { PushErasureSql } from "./PushErasureSql.ts";
import type { DeviceKey } from "../../wire/Ids.ts";

/** Deliveries that one transaction drops. */
const page = 1_000;

/** Drops the messages that wait for devices that were erased (contract Q3). */
export class PushErasure extends Context.Service<
  PushErasure,
  {
    /**
     * Deletes deliveries without an outcome as if they had not been made, whatever they wait for. A send that
     * waited for nothing else is done. A worker that is sending such a push discards its outcome.
     */
    readonly drop: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>) => Effect.Effect<void>;
  }
>()("waypost/sending/PushErasure") {
  static readonly layer = Layer.effect(
    PushErasure,
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* PushErasureSql;
      const batches = yield* SendBatchesSql;

      /** Drops a page; gives the sends that are done, null if none waited. */
      const drop = Effect.fnUntraced(function* (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>) {
        const now = yield* Clock.currentTimeMillis;
        const sourceIds = yield* repository.lockSends(tenant, deviceKeys, page);
        if (sourceIds.length === 0) return null;
        const { environment, workspaceId } = tenant;
        const reduced = yield* repository.drop(tenant, deviceKeys, sourceIds, page);
        const complete = reduced.flatMap(({ isComplete, sourceId }) =>
          isComplete ? [{ environment, workspaceId, sourceId }] : [],
        );
        return complete.length === 0 ? [] : yield* batches.finish(complete, now);
      }, database.atomically);

      return PushErasure.of({
        drop: Effect.fnUntraced(function* (tenant, deviceKeys) {
          while (true) {
            const done = yield* drop(tenant, deviceKeys);
            if (done === null) return;
            for (const send of done) yield* logDone(send);
          }
        }),
      });
    }),
  ).pipe(Layer.provide([PushErasureSql.layer, SendBatchesSql.layer]));
}
