import { Clock, Context, Effect, Layer, Stream } from "effect";
import { csvLines } from "../http/csv/Csv.ts";
import { type CsvFile, csvName, todayOf } from "../http/csv/CsvFile.ts";
import { NotFound } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { type SendFilters, SendListSql } from "./SendListSql.ts";
import { type SendDetail, SendResource } from "./SendResource.ts";

/** The scheduled and past sends of an environment. */
export class Sends extends Context.Service<Sends>()("waypost/sending/Sends", {
  make: Effect.gen(function* () {
    const repository = yield* SendListSql;
    return {
      /** Newest first by when they were scheduled. */
      page: repository.page,

      /** One send, with its failed deliveries by reason. @throws 404 */
      find: Effect.fnUntraced(function* (tenant: Tenant, id: string): Effect.fn.Return<SendDetail, NotFound> {
        const send = isUuid(id) ? yield* repository.find(tenant, id) : null;
        if (send === null) return yield* NotFound.resource("send");
        return { ...send, failures: send.failed === 0 ? [] : yield* repository.failures(tenant, id) };
      }),

      /** All of them as CSV, in the order of the pages. */
      file: Effect.fnUntraced(function* (tenant: Tenant, filters: SendFilters) {
        const columns = Object.keys(SendResource.fields);
        return {
          name: csvName("sends", tenant, todayOf(tenant, yield* Clock.currentTimeMillis)),
          heading: columns,
          records: Effect.map(
            repository.all(tenant, filters),
            Stream.map((rows) => csvLines(columns, rows)),
          ),
        } satisfies CsvFile;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Sends, Sends.make).pipe(Layer.provide(SendListSql.layer));
}
