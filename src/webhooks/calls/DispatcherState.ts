/**
 * Decides when the dispatcher of webhooks scans for due ones, and whether it has caught up. The functions
 * below decide, or return the state after an event. Scans are numbered from 1; instants are epoch
 * milliseconds.
 */
export interface DispatcherState {
  /** A stopped dispatcher takes nothing more. */
  readonly isStopped: boolean;
  /** The latest scan that began, and when the latest one ended. */
  readonly scans: number;
  readonly scannedAt: number;
  /** The scan that is asked to find nothing left to do, and the latest one that found nothing. */
  readonly asked: number;
  readonly lastIdle: number;
}

/** A new dispatcher scans at once. */
export const initialState: DispatcherState = {
  isStopped: false,
  scans: 0,
  scannedAt: Number.NEGATIVE_INFINITY,
  asked: 0,
  lastIdle: 0,
};

/** The milliseconds until the next scan; 0 or less if it is time. */
export const untilScan = (state: DispatcherState, scanMillis: number, now: number): number =>
  state.lastIdle < state.asked ? 0 : state.scannedAt + scanMillis - now;

/** A scan begins. */
export const scanning = (state: DispatcherState): DispatcherState => ({ ...state, scans: state.scans + 1 });

/** A scan ended. `isIdle`: nothing is due, in flight or to be stored. */
export const scanned = (state: DispatcherState, now: number, isIdle: boolean): DispatcherState => ({
  ...state,
  scannedAt: now,
  lastIdle: isIdle ? state.scans : state.lastIdle,
});

/** Somebody waits until a scan that is yet to begin finds nothing left to do. */
export const asked = (state: DispatcherState): DispatcherState => ({ ...state, asked: state.scans + 1 });

/** The dispatcher was stopped. Calls in flight are still settled. */
export const stopped = (state: DispatcherState): DispatcherState => ({ ...state, isStopped: true });
