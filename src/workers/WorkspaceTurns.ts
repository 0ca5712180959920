/** The one way in which jobs take due rows: workspaces take turns. */
import { type Cause, Clock, Effect, Fiber, FiberSet } from "effect";
import { failsAll } from "../database/Batched.ts";
import { batchedByWorkspace } from "../database/WorkspaceGroups.ts";

/** The most workspaces that share a page. */
const maxTogether = 25;
/** How long a run waits for pages before it finds the workspaces again, in milliseconds. */
const slowMillis = 1_000;
/** Bounds of the pause of a workspace whose page failed; it doubles with each failure. */
const [minPause, maxPause] = [1_000, 60_000];

/** The turn of a workspace in pages of so many rows. */
interface Turn {
  readonly workspaceId: number;
  readonly rows: number;
}

/** How a job takes due rows. */
export interface WorkspaceTurnsOptions<R> {
  /** A name of the rows, for the log. */
  readonly what: string;
  /** The workspaces that have due rows, whatever their number costs little to find. */
  readonly find: (now: number) => Effect.Effect<ReadonlyArray<number>, never, R>;
  /**
   * Takes up to `limit` rows of each workspace in one transaction, and gives their numbers in order. It does
   * nothing if it fails.
   */
  readonly take: (
    workspaceIds: ReadonlyArray<number>,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<number>, never, R>;
  /** The rows of a page, which its workspaces share. */
  readonly pageSize: Effect.Effect<number>;
}

/**
 * Makes the run of a job that takes due rows until none is left. Each workspace has one
 * page in a round, small ones together, so that no number of rows of one delays another by more than a page.
 * A page that fails or is slow continues alone (`database/Batched.ts`), and the run does not wait for it: a
 * workspace whose own page fails rests, longer each time.
 */
export const workspaceTurns = Effect.fnUntraced(function* <R>(options: WorkspaceTurnsOptions<R>) {
  const { find, pageSize, take, what } = options;
  const fork = yield* FiberSet.makeRuntime<never, number>();
  const running = new Set<number>();
  const resting = new Map<number, { readonly pause: number; readonly until: number }>();

  const page = yield* batchedByWorkspace({
    maxBatch: maxTogether,
    keyOf: ({ workspaceId }: Turn) => workspaceId,
    run: (turns) =>
      take(
        turns.map(({ workspaceId }) => workspaceId),
        Math.ceil(Math.min(...turns.map(({ rows }) => rows)) / turns.length),
      ),
  });

  const rest = Effect.fnUntraced(function* (workspaceId: number, cause: Cause.Cause<never>) {
    const before = resting.get(workspaceId);
    const pause = Math.min(maxPause, before === undefined ? minPause : 2 * before.pause);
    resting.set(workspaceId, { pause, until: (yield* Clock.currentTimeMillis) + pause });
    if (before === undefined)
      yield* Effect.annotateLogs(Effect.logError(`Taking ${what} failed; retrying`, cause), { workspaceId });
    return 0;
  });

  const takePage = ({ rows, workspaceId }: Turn) =>
    page({ rows, workspaceId }).pipe(
      Effect.tap((taken) => Effect.sync(() => taken > 0 && resting.delete(workspaceId))),
      Effect.catchCauseIf(
        (cause) => !failsAll(cause),
        (cause) => rest(workspaceId, cause),
      ),
      Effect.ensuring(Effect.sync(() => running.delete(workspaceId))),
    );

  return Effect.gen(function* () {
    const rows = yield* pageSize;
    while (true) {
      const now = yield* Clock.currentTimeMillis;
      const free = (yield* find(now)).filter(
        (id) => !running.has(id) && (resting.get(id)?.until ?? -Infinity) <= now,
      );
      let taken = 0;
      const turns = free.map((id) => {
        running.add(id);
        return fork(
          Effect.tap(takePage({ workspaceId: id, rows }), (count) => Effect.sync(() => (taken += count))),
        );
      });
      yield* Effect.raceFirst(Fiber.joinAll(turns), Effect.sleep(slowMillis));
      if (taken === 0) return;
    }
  });
});

/** How many rows are of each workspace, in their order. */
export const countsOf = (
  workspaceIds: ReadonlyArray<number>,
  rows: ReadonlyArray<{ readonly workspaceId: number }>,
): ReadonlyArray<number> => {
  const byWorkspace = Map.groupBy(rows, ({ workspaceId }) => workspaceId);
  return workspaceIds.map((id) => byWorkspace.get(id)?.length ?? 0);
};

/** Runs work for each item: one that fails holds up no other. Fails at the end as the first that failed. */
export const eachApart = <A, B, E, R>(
  items: Iterable<A>,
  run: (item: A) => Effect.Effect<B, E, R>,
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  Effect.flatMap(
    Effect.forEach(items, (item) => Effect.exit(run(item))),
    (exits) => Effect.forEach(exits, (exit) => exit),
  );
