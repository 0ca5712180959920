import { Clock, Context, Effect, Layer } from "effect";
import { Settings } from "../../config/Settings.ts";
import { Worker } from "../../workers/Worker.ts";
import { Database } from "../../database/Database.ts";
import { countPruned } from "../../database/Pruning.ts";
import { DAY_MS } from "../../time/TimeZone.ts";
import { noteWaiting } from "./RetentionMetrics.ts";
import { type Compactable, RetentionSql } from "./RetentionSql.ts";
import type { RollupTenant } from "../rollups/RollupTypes.ts";

/** How much is done at once: rows that one transaction packs, about, and environments that one statement looks for. */
export const RetentionSizes = Context.Reference("waypost/reports/Retention/RetentionSizes", {
  defaultValue: () => ({ rows: 10_000, environments: 200 }),
});

/**
 * Packs deliveries and events that are past their time: their rows leave the tables, and what reports count of them stays
 * (docs/decisions/0027). Only what is rolled up is packed, so the rollups need not know.
 */
export class Retention extends Context.Service<Retention>()("waypost/reports/Retention", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* RetentionSql;

    /**
     * Packs a page of an environment: rows one after the other in time, with a mark of how far it got, in one transaction. Gives how
     * many rows went, or null when there is nothing more that can go now.
     */
    const packPage = Effect.fnUntraced(function* (tenant: RollupTenant, what: Compactable, beforeMs: number) {
      const { rows: page } = yield* RetentionSizes;
      yield* repository.useOneSnapshot;
      // Who is first goes on to the end, and leaves nothing for the others.
      if (!(yield* repository.hold(tenant)) || !(yield* repository.holdRollups(tenant))) return null;
      const [state] = yield* repository.state(tenant, what, beforeMs, page);
      if (state === undefined) return null;
      const { later, next, packedBefore } = state;
      // Rows of one millisecond go together, however many they are.
      const toMs = later === null || next === null ? beforeMs : Math.max(later, next + 1);
      if (packedBefore !== null && toMs < packedBefore) return null;
      if (what === "events" && (yield* repository.feedsEvents(tenant, toMs))) return null;
      const pack = what === "events" ? repository.packEvents : repository.packDeliveries;
      const rows = yield* pack(tenant, packedBefore, toMs);
      yield* repository.note(tenant, what, toMs);
      return { rows, isLast: toMs === beforeMs };
    });

    const packEnvironment = Effect.fnUntraced(function* (
      tenant: RollupTenant,
      what: Compactable,
      beforeMs: number,
    ) {
      let packed = 0;
      yield* repository.begin(tenant);
      while (true) {
        const page = yield* database.atomically(packPage(tenant, what, beforeMs));
        packed += page?.rows ?? 0;
        yield* countPruned(what, page?.rows ?? 0);
        if (page === null || page.isLast) return { packed, isDone: page !== null };
      }
    });

    return {
      /** Packs everything from before an instant (epoch milliseconds) that is rolled up, page by page; tells how many rows. */
      pack: Effect.fn("Retention.pack")(function* (what: Compactable, beforeMs: number) {
        const { environments } = yield* RetentionSizes;
        let packed = 0;
        let left = 0;
        let behind: RollupTenant | null = null;
        while (true) {
          const waiting: ReadonlyArray<RollupTenant> = yield* repository.waiting(
            what,
            beforeMs,
            behind,
            environments,
          );
          for (const tenant of waiting) {
            const round = yield* packEnvironment(tenant, what, beforeMs);
            packed += round.packed;
            if (!round.isDone) left++;
          }
          behind = waiting.at(-1) ?? null;
          if (behind !== null && waiting.length === environments) continue;
          yield* noteWaiting(what, left);
          return packed;
        }
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Retention, Retention.make).pipe(Layer.provide(RetentionSql.layer));
}

/** The beginning of the day of UTC that lies some days back: so what happened on one day is packed together. */
const daysBack = (now: number, days: number): number => Math.floor(now / DAY_MS - days) * DAY_MS;

/** Packs once an hour in every worker what the settings say: of two that meet at an environment one goes on. */
export const retaining = Layer.effectDiscard(
  Effect.gen(function* () {
    const { deliveryRetentionDays, eventRetentionDays } = yield* Settings;
    const limits = [
      { what: "deliveries", days: deliveryRetentionDays },
      { what: "events", days: eventRetentionDays },
    ] as const;
    if (limits.every(({ days }) => days === undefined)) return;
    const { pack } = yield* Retention;
    const once = Effect.gen(function* () {
      for (const { days, what } of limits) {
        if (days === undefined) continue;
        const packed = yield* pack(what, daysBack(yield* Clock.currentTimeMillis, days));
        if (packed === 0) continue;
        yield* Effect.logInfo("Rows past their time were packed").pipe(Effect.annotateLogs({ what, packed }));
      }
    });
    yield* Worker.every("retention", "1 hour", once);
  }),
);
