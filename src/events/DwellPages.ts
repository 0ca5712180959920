import { type Cause, Clock, Effect, Exit } from "effect";
import { failsAll } from "../database/Batched.ts";
import type { DueDwell } from "./Dwell.ts";
import { countsOf } from "../workers/WorkspaceTurns.ts";
import type { DwellsSql } from "./DwellsSql.ts";

/** The notifications of a page: the contents of so many are in memory at once. */
const maxContents = 25;
/** How long the dwells of a page whose transaction failed are decided one by one, in milliseconds. */
const maxEachMillis = 10_000;

/** Locks due dwells, and gives them. */
export type TakeDwells = (now: number) => Effect.Effect<ReadonlyArray<DueDwell>>;
/** Decides the dwells that a statement locks, in one transaction, and gives them. */
type Decide = (take: TakeDwells) => Effect.Effect<ReadonlyArray<DueDwell>>;

/** The first dwells, up to those of so many notifications. */
const ofFirstContents = (dwells: ReadonlyArray<DueDwell>, count: number): ReadonlyArray<DueDwell> => {
  const first = new Set<string>();
  const end = dwells.findIndex(({ attachmentId }) => first.add(attachmentId).size > count);
  return end === -1 ? dwells : dwells.slice(0, end);
};

/** Makes the function that decides a page of due dwells of workspaces, and gives how many of each. */
export const dwellPages = (repository: DwellsSql["Service"], decide: Decide) => {
  /**
   * Decides each due dwell of a page by itself, so that one that fails does not hold up the others, for at
   * most ten seconds. Returns how many; fails if it could decide none.
   */
  const decideEach = Effect.fnUntraced(function* (workspaceId: number, limit: number) {
    const since = yield* Clock.currentTimeMillis;
    let decided = 0;
    let failure: Cause.Cause<never> | null = null;
    for (const dwell of yield* repository.due(workspaceId, since, limit)) {
      const exit = yield* Effect.exit(decide(() => repository.takeOne(dwell)));
      if (Exit.isSuccess(exit)) decided += exit.value.length;
      else if (failsAll(exit.cause)) return yield* Effect.failCause(exit.cause);
      else failure = exit.cause;
      if ((yield* Clock.currentTimeMillis) - since > maxEachMillis) break;
    }
    if (failure === null) return [decided];
    if (decided === 0) return yield* Effect.failCause(failure);
    yield* Effect.logError("Deciding on a visit failed; retrying", failure);
    return [decided];
  });

  return (workspaceIds: ReadonlyArray<number>, limit: number): Effect.Effect<ReadonlyArray<number>> => {
    const [first] = workspaceIds;
    const isAlone = workspaceIds.length === 1;
    const contents = Math.ceil(maxContents / workspaceIds.length);
    const page = decide((now) =>
      Effect.gen(function* () {
        if (!isAlone) yield* repository.hurry;
        const pages = yield* Effect.forEach(workspaceIds, (id) => repository.take(id, now, limit));
        return pages.flatMap((dwells) => ofFirstContents(dwells, contents));
      }),
    ).pipe(Effect.map((taken) => countsOf(workspaceIds, taken)));
    if (first === undefined || !isAlone) return page;
    return Effect.catchCauseIf(
      page,
      (cause) => !failsAll(cause),
      () => decideEach(first, limit),
    );
  };
};
