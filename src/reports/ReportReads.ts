import { Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { LongReads } from "../database/LongReads.ts";
import type { ServiceUnavailable } from "../wire/ApiError.ts";
import { RollupReader } from "./rollups/RollupReader.ts";
import { rollupsIncomplete, slowReport, SourceRowLimits, type TooManySourceRows } from "./SlowReports.ts";

/** Reads figures in transactions of one snapshot, as long reads. */
export class ReportReads extends Context.Service<
  ReportReads,
  {
    /**
     * Reads figures of a workspace that count at most so many source rows. What has to count many is a slow
     * report; what would count too many is refused.
     */
    readonly read: <A>(
      workspaceId: number,
      figures: (maxRows: number) => Effect.Effect<A, TooManySourceRows>,
    ) => Effect.Effect<A, ServiceUnavailable>;
  }
>()("waypost/reports/ReportReads", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const rollups = yield* RollupReader;
    const longReads = yield* LongReads;
    return {
      read: <A>(workspaceId: number, figures: (maxRows: number) => Effect.Effect<A, TooManySourceRows>) =>
        Effect.gen(function* () {
          const limits = yield* SourceRowLimits;
          const read = (maxRows: number) =>
            database.atomically(Effect.andThen(rollups.useReadSnapshot, figures(maxRows)));
          const readSlowly = (refusal: TooManySourceRows) =>
            refusal.rows > limits.max
              ? Effect.fail(refusal)
              : longReads.run(workspaceId, slowReport(read(limits.max), refusal));
          return yield* longReads.run(workspaceId, read(limits.quick)).pipe(
            Effect.catchTag("TooManySourceRows", readSlowly),
            Effect.catchTag("TooManySourceRows", (refusal) => Effect.fail(rollupsIncomplete(refusal))),
          );
        }),
    };
  }),
}) {
  static readonly layer = Layer.effect(ReportReads, ReportReads.make).pipe(Layer.provide(RollupReader.layer));
}
