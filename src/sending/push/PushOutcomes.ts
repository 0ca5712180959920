import { Cause, Clock, Context, Effect, Exit, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import { countLost, countUncertain } from "./LeaseMetrics.ts";
import type { AttemptResult } from "./PushAttempts.ts";
import { type PushLeases, takeoverGrace } from "./PushLeases.ts";
import { countSettled } from "./PushMetrics.ts";
import { PushOutcomesSql, verdicts } from "./PushOutcomesSql.ts";
import type { QueuePartition } from "./PushQueueSql.ts";
import { SendBatchesSql } from "../SendBatchesSql.ts";
import { tellDone } from "../SendMetrics.ts";

/** How long outcomes are tried to be written while the database is there and refuses them, in milliseconds. */
const refusalPatience = 60_000;
const pause = "500 millis";

/** Writes down what became of pushes. */
export class PushOutcomes extends Context.Service<PushOutcomes>()("waypost/sending/PushOutcomes", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* PushOutcomesSql;
    const batches = yield* SendBatchesSql;

    const write = Effect.fnUntraced(function* (
      partition: QueuePartition,
      leases: PushLeases,
      outcomes: ReadonlyArray<AttemptResult>,
    ) {
      const now = yield* Clock.currentTimeMillis;
      const settlements = outcomes.map(({ push, settlement }) => ({
        ...settlement,
        fence: leases.fenceOf(push),
      }));
      yield* repository.holdSends(partition, settlements);
      const rows = yield* repository.settle(partition, settlements, now);
      const gone = outcomes.filter(({ isGone }) => isGone).map(({ push }) => push);
      if (gone.length > 0) yield* repository.markGone(partition, gone, now);
      const finished = yield* Effect.forEach(rows, (row) =>
        row.sourceId !== null && row.isComplete
          ? batches.finish({ ...partition, sourceId: row.sourceId }, now)
          : Effect.succeed([]),
      );
      return { lost: outcomes.length - (rows[0]?.settled ?? 0), finished: finished.flat() };
    }, database.atomically);

    /**
     * Outcomes are dear, for what has none is sent again: while the database is away they wait for it as long as that takes, and also a while
     * where it is there and something else is wrong. Those of pushes that another took meanwhile do not count.
     */
    const settle = Effect.fnUntraced(function* (
      partition: QueuePartition,
      leases: PushLeases,
      outcomes: ReadonlyArray<AttemptResult>,
    ) {
      let refusedSince: number | null = null;
      let wasAway = false;
      let written = yield* Effect.exit(write(partition, leases, outcomes));
      while (Exit.isFailure(written) && !Cause.hasInterruptsOnly(written.cause)) {
        const isAway = Database.isUnavailable(written.cause);
        wasAway ||= isAway;
        if (isAway) {
          refusedSince = null;
        } else if (refusedSince === null) {
          refusedSince = leases.steadyNow();
          yield* Effect.logError("Outcomes of pushes could not be written down: tried again", written.cause);
        } else if (leases.steadyNow() - refusedSince >= refusalPatience) {
          yield* countUncertain(partition.transport, "unwritten", outcomes.length);
          return yield* Effect.logError(
            "Outcomes of pushes were given up: these pushes are sent again",
            written.cause,
          ).pipe(Effect.annotateLogs({ ...partition, pushes: outcomes.length }));
        }
        yield* Effect.sleep(pause);
        written = yield* Effect.exit(write(partition, leases, outcomes));
      }
      const { finished, lost } = yield* written;
      for (const each of finished) yield* tellDone(partition.environment, each);
      for (const verdict of verdicts) {
        const count = outcomes.filter(({ settlement }) => settlement.verdict === verdict).length;
        if (count > 0) yield* countSettled(partition.transport, verdict, count);
      }
      if (lost > 0) {
        yield* countLost(partition.transport, "after", lost);
        yield* Effect.logWarning("Another worker had taken pushes over that were under way here").pipe(
          Effect.annotateLogs({ ...partition, pushes: lost }),
        );
      }
      if (wasAway) yield* Effect.sleep(takeoverGrace);
    });

    return { settle };
  }),
}) {
  static readonly layer = Layer.effect(PushOutcomes, PushOutcomes.make).pipe(
    Layer.provide([PushOutcomesSql.layer, SendBatchesSql.layer]),
  );
}
