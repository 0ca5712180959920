/**
 * The job that keeps the rollups: it adds pending deltas, rebuilds from source rows, and rolls up past
 * months. Reports read them by `RollupReader.ts`; `RollupStatus.ts` shows them to operators.
 */
import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import { runSliced } from "../../workers/TimeSlices.ts";
import { Worker } from "../../workers/Worker.ts";
import { eachApart } from "../../workers/WorkspaceTurns.ts";
import { arrayLength } from "./encoding/BinaryArrays.ts";
import { RollupRebuild } from "./rebuild/RollupRebuild.ts";
import { deliveryAdditions, eventAdditions } from "./RollupAdditions.ts";
import { InteractionWriter } from "./InteractionWriter.ts";
import { RollupDeltasSql } from "./RollupDeltasSql.ts";
import { noMonth } from "./RollupKeys.ts";
import { countRollupRows, recordBacklog } from "./RollupMetrics.ts";
import { RollupMonths } from "./RollupMonths.ts";
import { RollupSizes } from "./RollupSizes.ts";
import { RollupStateSql } from "./RollupStateSql.ts";
import type { Deltas, PendingEvent, PendingTenant, RollupState, TransitionDelta } from "./RollupTypes.ts";
import { RollupWriter } from "./RollupWriter.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";

/** The zone of invalid rollups. */
const noZone = "" as TimeZoneName;

/** Rows of rollups that one transaction deletes. */
const clearBatch = 100_000;

/** The deltas that a step adds. */
type StepScope = "all" | "events";

const sumOf = <Item>(items: ReadonlyArray<Item>, value: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0);

const transitionOf = ({ device, location, quarter, type }: PendingEvent): TransitionDelta => {
  const isEntry = type === "enter";
  const counts = { entries: isEntry ? 1 : 0, exits: isEntry ? 0 : 1 };
  return { quarter, location_key: location, ...counts, devices: isEntry ? [device] : [] };
};

/** Keeps the rollups of all environments. */
export class Rollups extends Context.Service<Rollups>()("waypost/reports/rollups/Rollups", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const states = yield* RollupStateSql;
    const deltas = yield* RollupDeltasSql;
    const rebuild = yield* RollupRebuild;
    const months = yield* RollupMonths;
    const writer = yield* RollupWriter;
    const interactions = yield* InteractionWriter;

    /** Deletes invalid rollups; when all are deleted, the rebuild starts. */
    const restart = Effect.fnUntraced(function* (tenant: PendingTenant) {
      const hasMore = yield* states.clear(tenant, clearBatch);
      if (!hasMore) yield* deltas.deleteAll(tenant);
      const timezone = hasMore ? noZone : tenant.timezone;
      yield* states.save(tenant, { timezone, rolledUpFrom: Infinity, monthsBefore: noMonth });
    });

    /** Takes pending deltas, the oldest first. */
    const takePending = Effect.fnUntraced(function* (tenant: PendingTenant, scope: StepScope) {
      const sizes = yield* RollupSizes;
      const events = yield* deltas.takeEvents(tenant, sizes.events);
      const pending: Deltas = {
        deliveries: scope === "all" ? yield* deltas.takeDeliveries(tenant, sizes.deliveries) : [],
        transitions: events.map(transitionOf),
        visits: events.length === 0 ? [] : yield* deltas.changedVisits(tenant, events),
        interactions: yield* deltas.takeInteractions(tenant, sizes.interactions),
        answers: yield* deltas.takeAnswers(tenant, sizes.interactions),
      };
      return pending;
    });

    /** Adds deltas to their days and months. */
    const fold = Effect.fnUntraced(function* (
      tenant: PendingTenant,
      state: RollupState,
      from: "deltas" | "source",
      added: Deltas,
    ) {
      const { answers, deliveries, interactions: interacted, transitions } = added;
      yield* writer.addDeliveries(tenant, yield* runSliced(deliveryAdditions(state, deliveries)));
      yield* writer.addEvents(tenant, yield* runSliced(eventAdditions(state, added)));
      yield* interactions.add(tenant, state, added);
      const counts = {
        deliveries: sumOf(deliveries, ({ devices }) => arrayLength(devices)),
        events: sumOf(transitions, ({ entries, exits }) => entries + exits),
        interactions: sumOf(interacted, (each) => Math.abs(each.opened + each.clicked + each.responses)),
        answers: sumOf(answers, (each) => sumOf(Object.values(each.counts), Math.abs)),
      };
      for (const what of ["deliveries", "events", "interactions", "answers"] as const)
        yield* countRollupRows({ what, from }, counts[what]);
      return counts;
    });

    const addPending = Effect.fnUntraced(function* (
      tenant: PendingTenant,
      state: RollupState,
      scope: StepScope,
    ) {
      const sizes = yield* RollupSizes;
      const pending = yield* takePending(tenant, scope);
      const counts = yield* fold(tenant, state, "deltas", pending);
      const rows = Math.max(pending.interactions.length, pending.answers.length);
      return (
        counts.deliveries >= sizes.deliveries || counts.events >= sizes.events || rows >= sizes.interactions
      );
    });

    /**
     * Rolls up the newest source rows that are not yet, as deltas; the rollups are complete when none is
     * left.
     */
    const rebuildNext = Effect.fnUntraced(function* (tenant: PendingTenant, state: RollupState) {
      // The first period has a transaction of its own, so that reports of the last days are fast again at
      // once.
      const periods = state.rolledUpFrom === Infinity ? 1 : (yield* RollupSizes).periods;
      let period = yield* rebuild.takeBefore(tenant, state.rolledUpFrom);
      for (let count = 1; period !== null && count < periods; count++) {
        // A period is added while the one before it is read.
        const { deltas: added, fromMs } = period;
        const adding = fold(tenant, state, "source", added);
        [period] = yield* Effect.all([rebuild.takeBefore(tenant, fromMs), adding], { concurrency: 2 });
      }
      if (period !== null) yield* fold(tenant, state, "source", period.deltas);
      const rolledUpFrom = period?.fromMs ?? -Infinity;
      yield* states.save(tenant, { ...state, rolledUpFrom });
    });

    /** One step in an environment; true if work is left. */
    const stepOf = (tenant: PendingTenant, scope: StepScope, runningMonth: string) =>
      database.atomically(
        Effect.gen(function* () {
          yield* states.useSnapshot;
          yield* states.create(tenant);
          const [state] = yield* states.lock(tenant);
          if (state === undefined) return false;
          yield* states.countDevices(tenant);
          if (state.timezone !== tenant.timezone) return yield* Effect.as(restart(tenant), true);
          const hasMore = yield* addPending(tenant, state, scope);
          // Deltas and the rebuild in one step: where deltas never end, the rebuild would never start.
          if (state.rolledUpFrom !== -Infinity) return yield* Effect.as(rebuildNext(tenant, state), true);
          const monthsBefore = yield* months.rollUpNext(tenant, state, runningMonth);
          if (monthsBefore === null) return hasMore;
          return yield* Effect.as(states.save(tenant, { ...state, monthsBefore }), true);
        }),
      );

    const stepOfAll = (scope: StepScope) =>
      Effect.gen(function* () {
        const runningMonth = yield* months.running;
        const pending = yield* states.pending(runningMonth);
        const steps = yield* eachApart(pending, (tenant) => stepOf(tenant, scope, runningMonth));
        return steps.some((hasMore) => hasMore);
      });

    return {
      /**
       * One step in each environment with work, in its own transaction; true if it could not do all. Deltas
       * that come meanwhile do not count: they always come while events do, and each step has a cost.
       */
      step: stepOfAll("all"),
      /** The same without deltas of deliveries. */
      stepOfEvents: stepOfAll("events"),
      /** Sets the gauges of the work that is left. */
      recordBacklog: Effect.flatMap(Effect.flatMap(Clock.currentTimeMillis, states.backlog), recordBacklog),
    };
  }),
}) {
  static readonly layer = Layer.effect(Rollups, Rollups.make).pipe(
    Layer.provide([
      RollupStateSql.layer,
      RollupDeltasSql.layer,
      RollupRebuild.layer,
      RollupMonths.layer,
      RollupWriter.layer,
      InteractionWriter.layer,
    ]),
  );
}

/** Every so many runs of the job, deltas of deliveries are added too. */
const runsPerDeliveryRun = 5;
/** Milliseconds after which a run adds deltas of deliveries too: a rebuild takes minutes. */
const maxEventRunMillis = 10_000;

/**
 * The rollup job: every worker adds events every two seconds and deliveries every ten. Workers that meet take
 * different environments. A delivery rewrites the sets of all devices of its day, so more often would cost
 * too much; pending events make reports slow, so less often would cost too much for them.
 */
export const rollupJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const rollups = yield* Rollups;
    let runs = 0;

    /** Steps until no work is left, or until an instant; true if work may be left. */
    const stepUntil = Effect.fnUntraced(function* (scope: StepScope, until: number) {
      while (yield* scope === "all" ? rollups.step : rollups.stepOfEvents) {
        if ((yield* Clock.currentTimeMillis) >= until) return true;
      }
      return false;
    });

    const run = Effect.gen(function* () {
      let scope: StepScope = runs++ % runsPerDeliveryRun === 0 ? "all" : "events";
      for (;;) {
        if (scope === "all") yield* rollups.recordBacklog;
        const hasMore = yield* stepUntil(scope, (yield* Clock.currentTimeMillis) + maxEventRunMillis);
        if (!hasMore) return;
        scope = "all";
      }
    });

    yield* Worker.every("rollups", "2 seconds", run);
  }),
);
