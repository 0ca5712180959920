import { Context, Effect, Layer, Semaphore } from "effect";
import { Database } from "../database/Database.ts";
import { RollupReader } from "./rollups/RollupReader.ts";
import { rollupsIncomplete, slowReports, SourceRowLimits, type TooManySourceRows } from "./SlowReports.ts";

/** Reports that this process reads at the same time. They leave connections for everything else. */
const readConcurrency = 4;

/** Reads figures in transactions of one snapshot, few at a time. */
export class ReportReads extends Context.Service<ReportReads>()("waypost/reports/ReportReads", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const rollups = yield* RollupReader;
    const semaphore = yield* Semaphore.make(readConcurrency);
    const runSlowly = yield* slowReports;
    return {
      /**
       * Reads figures that count at most so many source rows. What has to count many waits for a permit of
       * `slowReports`; what would count too many is refused.
       */
      read: <A>(figures: (maxRows: number) => Effect.Effect<A, TooManySourceRows>) =>
        Effect.gen(function* () {
          const limits = yield* SourceRowLimits;
          const read = (maxRows: number) =>
            database.atomically(Effect.andThen(rollups.useReadSnapshot, figures(maxRows)));
          const readSlowly = (refusal: TooManySourceRows) =>
            refusal.rows > limits.max
              ? Effect.fail(rollupsIncomplete(refusal))
              : Effect.catchTag(runSlowly(read(limits.max), refusal), "TooManySourceRows", (more) =>
                  Effect.fail(rollupsIncomplete(more)),
                );
          return yield* semaphore
            .withPermit(read(limits.quick))
            .pipe(Effect.catchTag("TooManySourceRows", readSlowly));
        }),
    };
  }),
}) {
  static readonly layer = Layer.effect(ReportReads, ReportReads.make).pipe(Layer.provide(RollupReader.layer));
}
