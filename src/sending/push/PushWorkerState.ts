/** The most pushes of a queue partition that a worker has in flight. */
const maxInFlight = 512;
/** The smallest batch, however little room the push services had for the last one. */
const minBatchSize = 16;

const threeQuarters = (count: number): number => Math.floor((count * 3) / 4);

/**
 * Decides when a push worker takes pushes from the queue, how many at a time, and when it is finished. The
 * functions below decide, or return the state after an event.
 */
export interface PushWorkerState {
  /** A stopped worker takes nothing more. */
  readonly isStopped: boolean;
  /** Whether the queue may have due pushes that were not taken yet. */
  readonly isMoreDue: boolean;
  readonly inFlight: number;
  /** The worker takes more when at most so many are in flight. */
  readonly refillAt: number;
  /** How many it takes at a time: about as many as the push services have room for. */
  readonly batchSize: number;
}

/** Pushes that became due and were sent at one taking. */
export interface Taking {
  readonly sent: number;
  /** Some pushes were postponed, because their push services had no room. */
  readonly isCrowded: boolean;
  /** Nothing else was due. */
  readonly isAll: boolean;
}

/** A new worker takes a full batch at once. */
export const initialState: PushWorkerState = {
  isStopped: false,
  isMoreDue: true,
  inFlight: 0,
  refillAt: threeQuarters(maxInFlight),
  batchSize: maxInFlight,
};

/** Whether to take more now. */
export const shouldTake = ({ inFlight, isMoreDue, isStopped, refillAt }: PushWorkerState): boolean =>
  isMoreDue && !isStopped && inFlight <= refillAt;

/** Whether nothing is in flight and nothing is left to take. */
export const isFinished = ({ inFlight, isMoreDue, isStopped }: PushWorkerState): boolean =>
  inFlight === 0 && (isStopped || !isMoreDue);

/** How many to take; 0 if there is no room. Suspect credentials are tried with one push at a time. */
export const takeLimit = ({ batchSize, inFlight }: PushWorkerState, isSuspect: boolean): number =>
  Math.max(0, Math.min((isSuspect ? 1 : maxInFlight) - inFlight, batchSize));

/** A taking begins. Polls from now on ask for another one. */
export const taking = (state: PushWorkerState): PushWorkerState => ({ ...state, isMoreDue: false });

/** Pushes are about to be sent. */
export const sending = (state: PushWorkerState, count: number): PushWorkerState => ({
  ...state,
  inFlight: state.inFlight + count,
});

/** A taking ended, with `sent` pushes already counted as in flight. */
export const taken = (state: PushWorkerState, { isAll, isCrowded, sent }: Taking): PushWorkerState => {
  const isMoreDue = state.isMoreDue || !isAll;
  if (isCrowded && sent > 0) {
    // The next pushes are likely for the same services, so wait until some of these have ended.
    const batchSize = Math.max(minBatchSize, Math.ceil(sent * 1.25));
    return { ...state, isMoreDue, batchSize, refillAt: threeQuarters(state.inFlight) };
  }
  // If all were postponed, pushes for other services may be queued behind them.
  const batchSize = isCrowded ? maxInFlight : Math.min(maxInFlight, 2 * state.batchSize);
  return { ...state, isMoreDue, batchSize, refillAt: threeQuarters(maxInFlight) };
};

/** A taking failed, and is to be tried again. */
export const failed = (state: PushWorkerState): PushWorkerState => ({ ...state, isMoreDue: true });

/** A poll has found due pushes in the partition. */
export const polled = (state: PushWorkerState): PushWorkerState => ({
  ...state,
  isMoreDue: true,
  refillAt: threeQuarters(maxInFlight),
});

/** Pushes were settled. */
export const settled = (state: PushWorkerState, count: number): PushWorkerState => ({
  ...state,
  inFlight: state.inFlight - count,
});

/** The worker was stopped. Pushes in flight are still settled. */
export const stopped = (state: PushWorkerState): PushWorkerState => ({ ...state, isStopped: true });
