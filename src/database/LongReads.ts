import { Context, Duration, Effect, Fiber, Layer, type Scope } from "effect";
import { ServiceUnavailable } from "../wire/ApiError.ts";
import { recordLongReadWait } from "./DatabaseMetrics.ts";
import { FairPermits } from "./FairPermits.ts";
import { onLongConnections } from "./pool/LongConnections.ts";
import { ConnectionDivision } from "./pool/PoolLimits.ts";

/** How long a read or an export waits for a permit. */
const maxWait = Duration.seconds(15);

const tooManyReads = ServiceUnavailable.of("Too many long reads wait already: try again later.", 5);
const tooManyExports = ServiceUnavailable.of("Too many files are being sent: try again later.", 30);

/** The share of one tenant: the last permit is left for others. Never more than two. */
const ofOne = (permits: number): number => Math.max(1, Math.min(2, permits - 1));

/**
 * Reads that may take long, few at the same time, fairly between workspaces. They have connections of their
 * own, so no short statement waits for them (docs/decisions/0046).
 */
export class LongReads extends Context.Service<
  LongReads,
  {
    /**
     * Runs a read of a workspace. It runs to its end also if the caller is interrupted, because its statement
     * does. Call it outside of transactions. @throws 503 after 15 seconds without a permit
     */
    readonly run: <A, E, R>(
      workspaceId: number,
      read: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | ServiceUnavailable, R>;
    /**
     * Begins an export of a workspace, whose file is sent until the scope closes. @throws 503 after 15
     * seconds without a permit
     */
    readonly exported: <A, E, R>(
      workspaceId: number,
      begin: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | ServiceUnavailable, R | Scope.Scope>;
  }
>()("waypost/database/LongReads") {
  static readonly layer = Layer.effect(
    LongReads,
    Effect.gen(function* () {
      const division = yield* ConnectionDivision;
      const scope = yield* Effect.scope;
      const reads = new FairPermits(division.reads, ofOne(division.reads));
      const exports = new FairPermits(division.exports, ofOne(division.exports));

      const taken = (permits: FairPermits, workspaceId: number, refusal: ServiceUnavailable) =>
        Effect.suspend(() => {
          const requestedAt = performance.now();
          return Effect.timeoutOrElse(permits.take(workspaceId), {
            duration: maxWait,
            orElse: () => Effect.fail(refusal),
          }).pipe(Effect.ensuring(Effect.suspend(() => recordLongReadWait(performance.now() - requestedAt))));
        });

      return LongReads.of({
        run: (workspaceId, read) => {
          const release = Effect.sync(() => reads.release(workspaceId));
          const running = Effect.ensuring(Effect.interruptible(onLongConnections(read)), release);
          return Effect.uninterruptibleMask((restore) =>
            restore(taken(reads, workspaceId, tooManyReads)).pipe(
              Effect.andThen(Effect.forkIn(running, scope, { startImmediately: true })),
              Effect.flatMap((fiber) => restore(Fiber.join(fiber))),
            ),
          );
        },

        exported: (workspaceId, begin) =>
          Effect.acquireRelease(
            taken(exports, workspaceId, tooManyExports),
            () => Effect.sync(() => exports.release(workspaceId)),
            { interruptible: true },
          ).pipe(Effect.andThen(onLongConnections(begin))),
      });
    }),
  );
}
