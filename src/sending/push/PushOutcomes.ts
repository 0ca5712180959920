import { Cause, Clock, Context, Effect, Exit, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import { PaceLedgerSql } from "../pacing/PaceLedgerSql.ts";
import { SendBatchesSql } from "../sends/SendBatchesSql.ts";
import { logDone } from "../sends/SendMetrics.ts";
import type { AttemptResult } from "./PushAttempts.ts";
import { type PushLeases, reconnectPause } from "./PushLeases.ts";
import { countLost, countSettled, countUncertain } from "./PushMetrics.ts";
import { PushOutcomesSql, verdicts } from "./PushOutcomesSql.ts";
import type { QueuePartition } from "./PushQueueSql.ts";

/** How long storing results is retried while the database is available and refuses them, in milliseconds. */
const maxRefusedMillis = 60_000;
const retryPause = "500 millis";

/** Settles pushes: stores the results of attempts. */
export class PushOutcomes extends Context.Service<PushOutcomes>()("waypost/sending/PushOutcomes", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* PushOutcomesSql;
    const batches = yield* SendBatchesSql;
    const ledger = yield* PaceLedgerSql;

    const store = Effect.fnUntraced(function* (
      partition: QueuePartition,
      leases: PushLeases,
      results: ReadonlyArray<AttemptResult>,
    ) {
      const now = yield* Clock.currentTimeMillis;
      const settlements = results.map(({ push, settlement }) => ({
        ...settlement,
        fence: leases.fenceOf(push),
      }));
      yield* repository.lockSends(partition, settlements);
      const placed = settlements.filter(
        ({ verdict }, index) => verdict !== "returned" && results[index]?.push.hasPermit === true,
      );
      if (placed.length > 0) yield* ledger.giveBack(partition, placed);
      const rows = yield* repository.settle(partition, settlements, now);
      const gone = results.filter(({ isGone }) => isGone).map(({ push }) => push);
      if (gone.length > 0) yield* repository.markGone(partition, gone, now);
      const complete = rows.flatMap((row) =>
        row.sourceId !== null && row.isComplete ? [{ ...partition, sourceId: row.sourceId }] : [],
      );
      const finished = complete.length > 0 ? yield* batches.finish(complete, now) : [];
      return { lost: results.length - (rows[0]?.settled ?? 0), finished };
    }, database.atomically);

    const countResults = Effect.fnUntraced(function* (
      partition: QueuePartition,
      results: ReadonlyArray<AttemptResult>,
      lost: number,
    ) {
      for (const verdict of verdicts) {
        const count = results.filter(({ settlement }) => settlement.verdict === verdict).length;
        if (count > 0) yield* countSettled({ transport: partition.transport, verdict }, count);
      }
      if (lost === 0) return;
      yield* countLost({ transport: partition.transport, found: "after" }, lost);
      yield* Effect.logWarning("Another worker has taken over pushes that were in flight here").pipe(
        Effect.annotateLogs({ ...partition, pushes: lost }),
      );
    });

    return {
      /**
       * Stores results. A push without a stored result is sent again, so this waits for an unavailable
       * database without limit, and retries other failures for a minute. Results of pushes that another
       * worker has taken are discarded.
       */
      settle: Effect.fnUntraced(function* (
        partition: QueuePartition,
        leases: PushLeases,
        results: ReadonlyArray<AttemptResult>,
      ) {
        let refusedSince: number | null = null;
        let wasUnavailable = false;
        while (true) {
          const stored = yield* Effect.exit(store(partition, leases, results));
          if (Exit.isSuccess(stored)) {
            for (const send of stored.value.finished) yield* logDone(send);
            yield* countResults(partition, results, stored.value.lost);
            if (wasUnavailable) yield* Effect.sleep(reconnectPause);
            return;
          }
          if (Cause.hasInterruptsOnly(stored.cause)) return yield* stored;
          if (Database.isUnavailable(stored.cause)) {
            wasUnavailable = true;
            refusedSince = null;
          } else if (refusedSince === null) {
            refusedSince = leases.now();
            yield* Effect.logError("Storing the results of pushes failed; retrying", stored.cause);
          } else if (leases.now() - refusedSince >= maxRefusedMillis) {
            yield* countUncertain({ transport: partition.transport, cause: "unwritten" }, results.length);
            return yield* Effect.logError(
              "The results of pushes could not be stored; these pushes are sent again",
              stored.cause,
            ).pipe(Effect.annotateLogs({ ...partition, pushes: results.length }));
          }
          yield* Effect.sleep(retryPause);
        }
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(PushOutcomes, PushOutcomes.make).pipe(
    Layer.provide([PushOutcomesSql.layer, SendBatchesSql.layer, PaceLedgerSql.layer]),
  );
}
