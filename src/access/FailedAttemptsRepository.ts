import { Context, type Effect } from "effect";

/** Counts failed authentication attempts by client address. Instants are epoch milliseconds. */
export class FailedAttemptsRepository extends Context.Service<
  FailedAttemptsRepository,
  {
    /**
     * Counts one more attempt of an address. An address whose window opened at `since` or before gets a new
     * window, which opens at `now`. So does one whose window opened over a minute after `now`: the clock was
     * set back since.
     */
    readonly count: (
      address: string,
      now: number,
      since: number,
    ) => Effect.Effect<{ readonly attempts: number; readonly windowOpened: number }>;
    /**
     * Deletes at most `limit` addresses whose window opened at `since` or before, the oldest first; gives how
     * many.
     */
    readonly prune: (since: number, limit: number) => Effect.Effect<number>;
  }
>()("waypost/access/FailedAttemptsRepository") {}
