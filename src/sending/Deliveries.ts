import { Context, Effect, Layer } from "effect";
import { DeliveriesSql } from "./DeliveriesSql.ts";
import { type DeliveryStatus, type DueDelivery, type InitialStatus, initialStatus } from "./Delivery.ts";
import { PushCredentials } from "./push/PushCredentials.ts";

/** A delivery that was created. */
export interface CreatedDelivery {
  readonly sourceId: bigint;
  readonly status: DeliveryStatus;
}

const isPush = ({ transport }: DueDelivery) => transport !== "inbox";
const tenantOf = ({ environment, workspaceId }: DueDelivery) => `${workspaceId}/${environment}`;

/** Creates deliveries within the frequency caps. `DeliveriesSql.ts` has the statement that decides. */
export class Deliveries extends Context.Service<Deliveries>()("waypost/sending/Deliveries", {
  make: Effect.gen(function* () {
    const repository = yield* DeliveriesSql;
    const credentials = yield* PushCredentials;

    /** Adds the initial statuses. Reads the credentials of all environments in one statement. */
    const withStatuses = Effect.fnUntraced(function* (due: ReadonlyArray<DueDelivery>) {
      const tenants = new Map(due.filter(isPush).map((delivery) => [tenantOf(delivery), delivery]));
      const configured = tenants.size === 0 ? [] : yield* credentials.configured([...tenants.values()]);
      const byTenant = new Map([...tenants.keys()].map((tenant, index) => [tenant, configured[index]]));
      return due.map((delivery) => {
        const providers = byTenant.get(tenantOf(delivery)) ?? new Set();
        const initial: InitialStatus =
          delivery.failure === null
            ? initialStatus(delivery.transport, providers)
            : { status: "failed", lastError: delivery.failure };
        return { ...delivery, ...initial };
      });
    });

    return {
      /**
       * Creates the deliveries that no frequency cap holds back, earlier ones first. Returns one entry for
       * each, null for a capped one. Exact under concurrency if the transaction has locked the rows of all
       * their devices (contract L4). A delivery commits together with the event that triggered it, or not at
       * all (contract L5).
       */
      create: Effect.fnUntraced(function* (due: ReadonlyArray<DueDelivery>) {
        const created: Array<CreatedDelivery | null> = due.map(() => null);
        if (due.length === 0) return created;
        const rows = yield* withStatuses(due);
        for (const { ord, sourceId } of yield* repository.insertWithinCaps(rows)) {
          const status = rows[ord - 1]?.status;
          if (status !== undefined) created[ord - 1] = { sourceId, status };
        }
        return created;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Deliveries, Deliveries.make).pipe(Layer.provide(DeliveriesSql.layer));
}
