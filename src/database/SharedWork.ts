import { Effect } from "effect";
import { FairPermits } from "./FairPermits.ts";
import { ReadPause } from "./LongReads.ts";
import { withinDatabaseTime } from "./pool/DatabaseTime.ts";
import { hasNeighbours } from "./RecentWorkspaces.ts";

const maxPauseMillis = 1_000;
/** Work at the same time: of all workspaces, and of one. */
const permits = new FairPermits(4, 1);

/**
 * Runs short work of which a workspace may bring much: one at a time, and fairly between workspaces. While
 * others send requests, the next one waits as long as this one has taken, at most a second. A request waits
 * as long as it has time for the database, then it is 503.
 */
export const oneAtATime = <A, E, R>(workspaceId: number, work: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.map(permits.take(workspaceId, withinDatabaseTime), () => performance.now()),
    () => work,
    (beganAt) =>
      Effect.map(ReadPause, (pause) => {
        const release = (): void => permits.release(workspaceId);
        if (!hasNeighbours(workspaceId)) release();
        else pause(Math.min(performance.now() - beganAt, maxPauseMillis), release);
      }),
  );
