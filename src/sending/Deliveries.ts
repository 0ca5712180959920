import { Context, Effect, Layer } from "effect";
import { beginning, type DeliveryStatus, type DueDelivery } from "./Delivery.ts";
import { DeliveriesSql } from "./DeliveriesSql.ts";
import { PushCredentials } from "./push/PushCredentials.ts";

/** A delivery that was made. */
export interface MadeDelivery {
  readonly sourceId: bigint;
  readonly status: DeliveryStatus;
}

const isPush = ({ transport }: DueDelivery) => transport !== "inbox";
const tenantOf = ({ environment, workspaceId }: DueDelivery) => `${workspaceId}/${environment}`;

/** Makes deliveries, within the frequency caps. */
export class Deliveries extends Context.Service<Deliveries>()("waypost/sending/Deliveries", {
  make: Effect.gen(function* () {
    const repository = yield* DeliveriesSql;
    const credentials = yield* PushCredentials;

    /** How each begins; the environments of pushes are asked for their credentials, all at once. */
    const beginningsOf = Effect.fnUntraced(function* (due: ReadonlyArray<DueDelivery>) {
      const tenants = new Map(due.filter(isPush).map((delivery) => [tenantOf(delivery), delivery]));
      const configured = tenants.size === 0 ? [] : yield* credentials.configured([...tenants.values()]);
      const byTenant = new Map([...tenants.keys()].map((tenant, at) => [tenant, configured[at]]));
      return due.map((delivery) =>
        beginning(delivery.transport, byTenant.get(tenantOf(delivery)) ?? new Set()),
      );
    });
    return {
      /**
       * Makes those of the deliveries that no cap keeps back, earlier ones first; each answer is in its delivery's place, null for
       * a capped one. Exact under concurrency when the transaction holds the rows of all devices concerned (contract L4), and
       * each delivery is made with what set it off or not at all (contract L5).
       */
      make: Effect.fnUntraced(function* (due: ReadonlyArray<DueDelivery>) {
        const made: Array<MadeDelivery | null> = due.map(() => null);
        if (due.length === 0) return made;
        const beginnings = yield* beginningsOf(due);
        for (const { ord, sourceId } of yield* repository.insertWithinCaps(due, beginnings)) {
          const status = beginnings[ord - 1]?.status;
          if (status !== undefined) made[ord - 1] = { sourceId, status };
        }
        return made;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Deliveries, Deliveries.make).pipe(Layer.provide(DeliveriesSql.layer));
}
