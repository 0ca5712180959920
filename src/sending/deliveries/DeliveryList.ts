import { Clock, Context, Effect, Layer, Stream } from "effect";
import { type CsvFile, csvName, todayOf } from "../../http/csv/CsvFile.ts";
import { MessageIds } from "./MessageId.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { type DeliveryFilters, DeliveryListSql } from "./DeliveryListSql.ts";
import { DeliveryResource } from "./DeliveryResource.ts";

/** Lists single deliveries. */
export class DeliveryList extends Context.Service<DeliveryList>()("waypost/sending/DeliveryList", {
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

      /** All of them as CSV, in the order of the pages. */
      file: Effect.fn("DeliveryList.file")(function* (tenant: Tenant, filters: DeliveryFilters) {
        const dates = todayOf(tenant, yield* Clock.currentTimeMillis);
        return {
          name: csvName("deliveries", tenant, dates),
          heading: Object.keys(DeliveryResource.fields),
          records: Effect.map(
            repository.lines(tenant, filters),
            Stream.map((rows) => {
              const made = ids.idsOf(rows);
              return rows.map(({ line }, index) => `${made[index]},${line}`);
            }),
          ),
        } satisfies CsvFile;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(DeliveryList, DeliveryList.make).pipe(
    Layer.provide([DeliveryListSql.layer, MessageIds.layer]),
  );
}
