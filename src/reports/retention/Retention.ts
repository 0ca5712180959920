import { Clock, Context, Effect, Layer, Metric } from "effect";
import { Settings } from "../../config/Settings.ts";
import { Database } from "../../database/Database.ts";
import { countPruned } from "../../database/Pruning.ts";
import { DAY_MS } from "../../time/DayNumbers.ts";
import { Worker } from "../../workers/Worker.ts";
import { eachApart } from "../../workers/WorkspaceTurns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import { type Compactable, RetentionSql } from "./RetentionSql.ts";

/** About how many rows a transaction compacts, and how many environments a statement reads. */
export const RetentionSizes = Context.Reference("waypost/reports/retention/RetentionSizes", {
  defaultValue: () => ({ rows: 10_000, environments: 200 }),
});

const skipped = Metric.gauge("waypost_retention_waiting", {
  description:
    "Environments with rows past their retention that the last run could not compact, by what the rows are.",
});

/**
 * Compacts deliveries and events past their retention: their rows leave the tables, and reports still count
 * them (docs/decisions/0027). Only rows that are rolled up are compacted, so the rollups do not change.
 */
export class Retention extends Context.Service<Retention>()("waypost/reports/retention/Retention", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const statements = yield* RetentionSql;

    /**
     * Compacts one page of an environment, by time, and notes how far it got. Gives the number of rows and
     * whether none is left; null where nothing can be compacted now.
     */
    const compactPage = Effect.fnUntraced(function* (tenant: TenantKey, what: Compactable, beforeMs: number) {
      const { rows: pageSize } = yield* RetentionSizes;
      yield* statements.useSnapshot;
      // The process that has the lock compacts the environment to its end.
      if (!(yield* statements.lock(tenant)) || !(yield* statements.lockRollups(tenant))) return null;
      const [state] = yield* statements.state(tenant, what, beforeMs, pageSize);
      if (state === undefined) return null;
      const { compactedBefore, first, pageEnd } = state;
      // Rows of one millisecond are compacted together, however many there are.
      const toMs = pageEnd === null || first === null ? beforeMs : Math.max(pageEnd, first + 1);
      if (compactedBefore !== null && toMs < compactedBefore) return null;
      // Deltas read their events from the table, so they are rolled up first.
      if (what === "events" && (yield* statements.hasPendingEvents(tenant, toMs))) return null;
      const compact = what === "events" ? statements.compactEvents : statements.compactDeliveries;
      const rows = yield* compact(tenant, compactedBefore, toMs);
      yield* statements.save(tenant, what, toMs);
      return { rows, isLast: toMs === beforeMs };
    });

    /** Compacts an environment page by page. `isDone` is false where something had to stay. */
    const compactEnvironment = Effect.fnUntraced(function* (
      tenant: TenantKey,
      what: Compactable,
      beforeMs: number,
    ) {
      let rows = 0;
      yield* statements.create(tenant);
      for (;;) {
        const page = yield* database.atomically(compactPage(tenant, what, beforeMs));
        rows += page?.rows ?? 0;
        yield* countPruned(what, page?.rows ?? 0);
        if (page === null || page.isLast) return { rows, isDone: page !== null };
      }
    });

    /** The environments that have something to compact. */
    const environmentsOf = Effect.fnUntraced(function* (what: Compactable, beforeMs: number) {
      const { environments: limit } = yield* RetentionSizes;
      const found: Array<TenantKey> = [];
      let behind: TenantKey | null = null;
      for (;;) {
        const page: Effect.Success<ReturnType<typeof statements.environments>> =
          yield* statements.environments(what, behind, limit);
        for (const tenant of page) if (yield* statements.hasRows(tenant, what, beforeMs)) found.push(tenant);
        if (page.length < limit) return found;
        behind = page.at(-1) ?? null;
      }
    });

    return {
      /** Compacts what is rolled up from before an instant (epoch milliseconds). Gives the number of rows. */
      compact: Effect.fnUntraced(function* (what: Compactable, beforeMs: number) {
        const environments = yield* environmentsOf(what, beforeMs);
        const compacted = yield* eachApart(environments, (tenant) =>
          compactEnvironment(tenant, what, beforeMs),
        );
        const waiting = compacted.filter(({ isDone }) => !isDone).length;
        yield* Metric.update(Metric.withAttributes(skipped, { what }), waiting);
        return compacted.reduce((sum, { rows }) => sum + rows, 0);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Retention, Retention.make).pipe(Layer.provide(RetentionSql.layer));
}

/** The start of the UTC day some days ago, so that the rows of one day are compacted together. */
const daysAgo = (now: number, days: number): number => Math.floor(now / DAY_MS - days) * DAY_MS;

/** The retention job: compacts once an hour by the settings. Workers share environments by locks. */
export const retentionJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const { deliveryRetentionDays, eventRetentionDays } = yield* Settings;
    const limits = [
      { what: "deliveries", days: deliveryRetentionDays },
      { what: "events", days: eventRetentionDays },
    ] as const;
    if (limits.every(({ days }) => days === undefined)) return;
    const { compact } = yield* Retention;
    const run = Effect.gen(function* () {
      for (const { days, what } of limits) {
        if (days === undefined) continue;
        const rows = yield* compact(what, daysAgo(yield* Clock.currentTimeMillis, days));
        if (rows === 0) continue;
        yield* Effect.logInfo("Compacted rows past their retention").pipe(
          Effect.annotateLogs({ what, rows }),
        );
      }
    });
    yield* Worker.every("retention", "1 hour", run);
  }),
);
