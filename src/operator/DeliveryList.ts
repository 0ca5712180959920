import { Context, Effect, Layer } from "effect";
import { MessageIds } from "../sending/MessageId.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { type DeliveryFilters, DeliveryListSql } from "./DeliveryListSql.ts";
import type { DeliveryResource } from "./DeliveryResource.ts";

/** Lists single deliveries for the operator. */
export class DeliveryList extends Context.Service<DeliveryList>()("waypost/operator/DeliveryList", {
  make: Effect.gen(function* () {
    const repository = yield* DeliveryListSql;
    const ids = yield* MessageIds;
    return {
      /** Newest first by their send or event. */
      page: Effect.fn("DeliveryList.page")(function* (
        tenant: Tenant,
        position: PagePosition,
        filters: DeliveryFilters,
      ) {
        const before = position.before === null ? null : ids.keyOf(position.before);
        const rows = yield* repository.page(tenant, before, position.limit, filters);
        return rows.map(({ device_key, sourceId, ...row }): DeliveryResource => ({
          id: ids.idOf({ sourceId, deviceKey: device_key }),
          ...row,
        }));
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(DeliveryList, DeliveryList.make).pipe(
    Layer.provide([DeliveryListSql.layer, MessageIds.layer]),
  );
}
