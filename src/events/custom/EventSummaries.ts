import { Clock, Context, Effect, Layer } from "effect";
import { LongReads } from "../../database/LongReads.ts";
import { addDays } from "../../time/DayNumbers.ts";
import { dateAt, daysOf } from "../../time/LocalTime.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { EventSummary } from "./EventSummary.ts";
import { EventSummariesSql } from "./EventSummariesSql.ts";

/** The names of an environment's custom events, how many there are a day, and their properties. */
export class EventSummaries extends Context.Service<EventSummaries>()("waypost/events/EventSummaries", {
  make: Effect.gen(function* () {
    const repository = yield* EventSummariesSql;
    const longReads = yield* LongReads;

    return {
      /**
       * The names, with their events on so many days until today in the workspace's time zone: the most
       * frequent first. @throws 503
       */
      names: Effect.fn("EventSummaries.names")(function* (
        tenant: Tenant,
        { days, name }: { readonly days: number; readonly name: string | undefined },
      ) {
        const { timezone } = tenant.workspace;
        const end = dateAt(timezone, yield* Clock.currentTimeMillis);
        const start = addDays(end, 1 - days);
        const dates = daysOf(timezone, start, end);
        const starts = dates.map(({ fromMs }) => fromMs);
        const data = yield* longReads.run(
          tenant.workspaceId,
          Effect.gen(function* () {
            const seen = yield* repository.names(tenant, name ?? null);
            const names = seen.map((each) => each.name);
            const rows = yield* repository.counts(tenant, names, starts, dates.at(-1)?.toMs ?? 0);
            const counts = new Map(rows.map((row) => [`${row.name} ${row.day}`, row.count]));
            return seen.map((each): EventSummary => {
              const byDay = dates.map(({ date }, index) => ({
                date,
                count: counts.get(`${each.name} ${index + 1}`) ?? 0,
              }));
              return { ...each, count: byDay.reduce((sum, { count }) => sum + count, 0), days: byDay };
            });
          }),
        );
        const meta = { start, end, timezone };
        return { data: data.toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)), meta };
      }),

      /** The properties of the newest 1,000 events of a name. */
      properties: Effect.fn("EventSummaries.properties")(function* (tenant: Tenant, name: string) {
        return { data: yield* repository.properties(tenant, name) };
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(EventSummaries, EventSummaries.make).pipe(
    Layer.provide(EventSummariesSql.layer),
  );
}
