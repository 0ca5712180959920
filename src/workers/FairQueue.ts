/** A job that waits until it may run. */
export interface QueuedJob {
  readonly owner: number | string;
  /** Called once, when the job may run. */
  readonly start: () => void;
}

/** Limits of a queue. */
export interface FairQueueLimits {
  /** Jobs that may run at once: of all owners, and of one. */
  readonly maxRunning: number;
  readonly maxRunningOfOwner: number;
  /** Jobs that may wait: of all owners, and of one. */
  readonly maxWaiting: number;
  readonly maxWaitingOfOwner: number;
}

/**
 * Jobs of several owners that share a few slots. The jobs of an owner run in their order; the owners take
 * turns: between two jobs of one owner, every other owner that waits has one job run.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** The waiting jobs of each owner. The owner whose job started or ended last is last. */
  readonly #waiting = new Map<QueuedJob["owner"], Array<QueuedJob>>();
  readonly #running = new Set<QueuedJob>();
  #waitingJobs = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /** Starts the job or lets it wait. False if too many wait. */
  add(job: QueuedJob): boolean {
    const own = this.#waiting.get(job.owner) ?? [];
    const { maxWaiting, maxWaitingOfOwner } = this.#limits;
    const mustWait = own.length > 0 || !this.#hasWorker(job.owner);
    if (mustWait && (own.length >= maxWaitingOfOwner || this.#waitingJobs >= maxWaiting)) return false;
    own.push(job);
    this.#waitingJobs += 1;
    this.#waiting.set(job.owner, own);
    this.#startNext();
    return true;
  }

  /** Removes a job that waits or has ended, and starts the next ones. */
  remove(job: QueuedJob): void {
    const own = this.#waiting.get(job.owner) ?? [];
    const index = own.indexOf(job);
    if (index !== -1) {
      own.splice(index, 1);
      this.#waitingJobs -= 1;
      if (own.length === 0) this.#waiting.delete(job.owner);
    } else if (this.#running.delete(job)) {
      this.#moveLast(job.owner, own);
      this.#startNext();
    }
  }

  #moveLast(owner: QueuedJob["owner"], own: Array<QueuedJob>): void {
    this.#waiting.delete(owner);
    if (own.length > 0) this.#waiting.set(owner, own);
  }

  #hasWorker(owner: QueuedJob["owner"]): boolean {
    const { maxRunning, maxRunningOfOwner } = this.#limits;
    let own = 0;
    for (const job of this.#running) if (job.owner === owner) own += 1;
    return this.#running.size < maxRunning && own < maxRunningOfOwner;
  }

  #startNext(): void {
    for (const [owner, own] of this.#waiting) {
      if (!this.#hasWorker(owner)) continue;
      const job = own.shift();
      this.#moveLast(owner, own);
      if (job === undefined) continue;
      this.#waitingJobs -= 1;
      this.#running.add(job);
      job.start();
    }
  }
}
