import { Context, Duration, Effect, Fiber, Layer } from "effect";
import { ServiceUnavailable } from "../wire/ApiError.ts";
import { recordLongReadWait } from "./DatabaseMetrics.ts";
import { FairPermits } from "./FairPermits.ts";
import { onLongConnections } from "./pool/LongConnections.ts";
import { ConnectionDivision } from "./pool/PoolLimits.ts";
import { hasNeighbours } from "./RecentWorkspaces.ts";

/** How long a read or an export waits for a permit. */
const maxWait = Duration.seconds(15);

/** The longest pause between two reads of a workspace, in milliseconds. */
const maxPauseMillis = 1_000;

/** Calls back after a pause in real time. Tests replace it. */
export const ReadPause = Context.Reference<(millis: number, resume: () => void) => void>(
  "waypost/database/ReadPause",
  { defaultValue: () => (millis, resume) => setTimeout(resume, millis).unref() },
);

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
     * does. While other workspaces send requests, the next read of this one waits as long as this read has
     * taken, at most a second. Call it outside of transactions. @throws 503 after 15 seconds without a permit
     */
    readonly run: <A, E, R>(
      workspaceId: number,
      read: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | ServiceUnavailable, R>;
    /**
     * Exports a file of a workspace. While all permits are taken, `small` runs as a read: it gives null for a
     * file that is longer, which then waits for a permit. @throws 503 after 15 seconds without a permit
     */
    readonly exported: <A, E, R>(
      workspaceId: number,
      whole: Effect.Effect<A, E, R>,
      small: Effect.Effect<A | null, E, R>,
    ) => Effect.Effect<A, E | ServiceUnavailable, R>;
  }
>()("waypost/database/LongReads") {
  static readonly layer = Layer.effect(
    LongReads,
    Effect.gen(function* () {
      const division = yield* ConnectionDivision;
      const scope = yield* Effect.scope;
      const pause = yield* ReadPause;
      const reads = new FairPermits(division.reads, ofOne(division.reads));
      const exports = new FairPermits(division.exports, ofOne(division.exports));

      const taken = (permits: FairPermits, workspaceId: number, refusal: ServiceUnavailable) =>
        Effect.suspend(() => {
          const requestedAt = performance.now();
          return permits
            .take(workspaceId, (wait) =>
              Effect.timeoutOrElse(wait, { duration: maxWait, orElse: () => Effect.fail(refusal) }),
            )
            .pipe(Effect.ensuring(Effect.suspend(() => recordLongReadWait(performance.now() - requestedAt))));
        });

      const run: LongReads["Service"]["run"] = (workspaceId, read) => {
        const running = Effect.suspend(() => {
          const beganAt = performance.now();
          const release = Effect.sync(() => {
            const millis = Math.min(performance.now() - beganAt, maxPauseMillis);
            if (hasNeighbours(workspaceId)) pause(millis, () => reads.release(workspaceId));
            else reads.release(workspaceId);
          });
          return Effect.ensuring(Effect.interruptible(onLongConnections(read)), release);
        });
        return Effect.uninterruptibleMask((restore) =>
          taken(reads, workspaceId, tooManyReads).pipe(
            Effect.andThen(Effect.forkIn(running, scope, { startImmediately: true })),
            Effect.flatMap((fiber) => restore(Fiber.join(fiber))),
          ),
        );
      };

      return LongReads.of({
        run,

        exported: Effect.fnUntraced(function* (workspaceId, whole, small) {
          const given = exports.isFree(workspaceId) ? null : yield* run(workspaceId, small);
          if (given !== null) return given;
          return yield* Effect.acquireUseRelease(
            taken(exports, workspaceId, tooManyExports),
            () => whole,
            () => Effect.sync(() => exports.release(workspaceId)),
          );
        }),
      });
    }),
  );
}
