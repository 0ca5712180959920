import { Context, Effect, Layer } from "effect";
import { deliveryKey, messageId } from "../sending/MessageId.ts";
import type { Position } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { type DeliveryFilters, DeliveryListSql } from "./DeliveryListSql.ts";
import type { ShownDelivery } from "./DeliveryResource.ts";

/** Single deliveries as the operator looks through them. */
export class DeliveryList extends Context.Service<DeliveryList>()("waypost/operator/DeliveryList", {
  make: Effect.gen(function* () {
    const repository = yield* DeliveryListSql;
    return {
      /** Those that were set off last come first. */
      page: Effect.fn("DeliveryList.page")(function* (
        tenant: Tenant,
        position: Position,
        filters: DeliveryFilters,
      ) {
        const before = position.before === null ? null : deliveryKey(position.before);
        const rows = yield* repository.page(tenant, before, position.limit, filters);
        return rows.map(({ device_no, origin, ...row }): ShownDelivery => ({
          id: messageId(origin, device_no),
          ...row,
        }));
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(DeliveryList, DeliveryList.make).pipe(
    Layer.provide(DeliveryListSql.layer),
  );
}
