const minPauseMillis = 100;
const maxPauseMillis = 10_000;

/** A process that ran for so long had started well: its next pause is the shortest again. */
const steadyMillis = 60_000;

/** The pauses before a process that ended by itself is started again. Each is twice the one before. */
export class RestartPauses {
  #next = minPauseMillis;

  /** The pause in milliseconds after a run of so many milliseconds. */
  after(runMillis: number): number {
    const pause = runMillis >= steadyMillis ? minPauseMillis : this.#next;
    this.#next = Math.min(pause * 2, maxPauseMillis);
    return pause;
  }
}
