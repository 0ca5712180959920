import { Context, Effect, Layer } from "effect";
import { beginning, type DeliveryStatus, type DueDelivery } from "./Delivery.ts";
import { DeliveriesSql } from "./DeliveriesSql.ts";

/** A delivery that was made. */
export interface MadeDelivery {
  readonly origin: bigint;
  readonly status: DeliveryStatus;
}

/** Makes deliveries, within the frequency caps. */
export class Deliveries extends Context.Service<Deliveries>()("waypost/sending/Deliveries", {
  make: Effect.gen(function* () {
    const repository = yield* DeliveriesSql;
    return {
      /**
       * Makes those of the deliveries that no cap keeps back, earlier ones first; each answer is in its delivery's place, null for
       * a capped one. Exact under concurrency when the transaction holds the rows of all devices concerned (contract L4), and
       * each delivery is made with what set it off or not at all (contract L5).
       */
      make: Effect.fnUntraced(function* (due: ReadonlyArray<DueDelivery>) {
        const made: Array<MadeDelivery | null> = due.map(() => null);
        if (due.length === 0) return made;
        const beginnings = due.map((delivery) => beginning(delivery.transport));
        for (const { ord, origin } of yield* repository.insertWithinCaps(due, beginnings)) {
          const status = beginnings[ord - 1]?.status;
          if (status !== undefined) made[ord - 1] = { origin, status };
        }
        return made;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Deliveries, Deliveries.make).pipe(Layer.provide(DeliveriesSql.layer));
}
