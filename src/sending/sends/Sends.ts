import { Clock, Context, Effect, Layer, Stream } from "effect";
import { csvLines } from "../../http/csv/Csv.ts";
import { type CsvFile, csvName, todayOf } from "../../http/csv/CsvFile.ts";
import { utcText } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import { NotFound } from "../../wire/ApiError.ts";
import { isUuid } from "../../wire/Ids.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { partsOf } from "./local/LocalParts.ts";
import { LocalSendsSql } from "./local/LocalSendsSql.ts";
import { type SendFilters, SendListSql, type StoredSend } from "./SendListSql.ts";
import { type SendDetail, type SendPart, SendResource } from "./SendResource.ts";

/** A send with its parts to come; those that have come and are not fixed yet count as to come. */
const withUpcoming = (
  { millisLeft, upcoming, ...row }: StoredSend,
  zones: ReadonlyArray<TimeZoneName | null>,
  now: number,
): SendResource => {
  const send = { ...row, estimated_finish_at: millisLeft === null ? null : utcText(now + millisLeft) };
  if (upcoming === null) return send;
  const coming = partsOf(upcoming, zones, upcoming.campaignZone, now).map(({ dueAt, status }): SendPart => ({
    due_at: utcText(dueAt),
    targeted: 0,
    delivered: 0,
    failed: 0,
    status: status === "running" ? "scheduled" : status,
  }));
  const parts = [...(send.parts ?? []), ...coming];
  return { ...send, due_at: parts[0]?.due_at ?? send.due_at, parts };
};

/** The scheduled and past sends of an environment. */
export class Sends extends Context.Service<Sends>()("waypost/sending/Sends", {
  make: Effect.gen(function* () {
    const repository = yield* SendListSql;
    const local = yield* LocalSendsSql;

    /** Adds the parts to come of sends at local times. Reads the zones of devices only if there are any. */
    const shown = Effect.fnUntraced(function* (tenant: Tenant, rows: ReadonlyArray<StoredSend>) {
      const zones = rows.some(({ upcoming }) => upcoming !== null) ? yield* local.zones(tenant) : [];
      const now = yield* Clock.currentTimeMillis;
      return rows.map((row) => withUpcoming(row, zones, now));
    });

    return {
      /** Newest first by when they were scheduled. */
      page: (tenant: Tenant, position: PagePosition, filters: SendFilters) =>
        Effect.flatMap(repository.page(tenant, position, filters), (rows) => shown(tenant, rows)),

      /** One send, with its failed deliveries by reason. @throws 404 */
      find: Effect.fn("Sends.find")(function* (
        tenant: Tenant,
        id: string,
      ): Effect.fn.Return<SendDetail, NotFound> {
        const stored = isUuid(id) ? yield* repository.find(tenant, id) : null;
        const [send] = stored === null ? [] : yield* shown(tenant, [stored]);
        if (send === undefined) return yield* NotFound.resource("send");
        return { ...send, failures: send.failed === 0 ? [] : yield* repository.failures(tenant, id) };
      }),

      /** All of them as CSV, in the order of the pages. */
      file: Effect.fn("Sends.file")(function* (tenant: Tenant, filters: SendFilters) {
        const columns = Object.keys(SendResource.fields);
        return {
          name: csvName("sends", tenant, todayOf(tenant, yield* Clock.currentTimeMillis)),
          heading: columns,
          records: Effect.map(
            repository.all(tenant, filters),
            Stream.mapEffect((rows) => Effect.map(shown(tenant, rows), (sends) => csvLines(columns, sends))),
          ),
        } satisfies CsvFile;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Sends, Sends.make).pipe(
    Layer.provide([SendListSql.layer, LocalSendsSql.layer]),
  );
}
