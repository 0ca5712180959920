import type { Cancel } from "./PushTransport.ts";

/** A Web Push message to encrypt. The keys are those of the subscription, in base64 or base64url. */
interface PlainMessage {
  readonly text: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** A batch for an encryption thread. */
export type EncryptionRequest = ReadonlyArray<PlainMessage>;

/** The encrypted messages of a batch, in its order; null where `p256dh` is no point of the curve. */
export type EncryptionAnswer = ReadonlyArray<Uint8Array | null>;

/** How many messages a thread gets at once: about 4 ms of its time. */
const batchSize = 16;
/** While a thread encrypts one batch, the next one is there already. */
const batchesPerThread = 2;

/** The thread did not answer, or ended. */
export class EncryptionFailed extends Error {
  override readonly name = "EncryptionFailed";
}

/** Receives an encrypted message; null if the key of the subscription is no public key. */
export type Encrypted = (body: Uint8Array | null | EncryptionFailed) => void;

/** Receives what a thread reports. */
export interface ThreadObserver {
  /** A batch is encrypted. Batches are answered in their order. */
  readonly answered: (bodies: EncryptionAnswer) => void;
  readonly ended: (problem: string) => void;
}

/** A running thread. */
export interface EncryptionThread {
  readonly send: (batch: EncryptionRequest) => void;
  readonly stop: () => void;
}

/** How threads are started, and their limits. Times are real time, also where a test controls the clock. */
export interface EncryptionSettings {
  readonly start: (observer: ThreadObserver) => EncryptionThread;
  readonly maxThreads: number;
  /** Milliseconds after which a thread is stopped if it does not answer. */
  readonly answerMillis: number;
  /** Milliseconds after which idle threads are stopped, which gives their memory back. */
  readonly idleMillis: number;
}

interface Job {
  readonly message: PlainMessage;
  readonly done: Encrypted;
}

/** A thread and the batches that it has not answered, oldest first. */
interface RunningThread {
  readonly thread: EncryptionThread;
  readonly batches: Array<ReadonlyArray<Job>>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Encrypts messages in threads, in batches: a message costs the event loop a few microseconds. The first
 * message starts a thread, and a message that finds all threads busy starts one more, up to a limit.
 */
export class EncryptionThreads {
  readonly #settings: EncryptionSettings;
  readonly #threads = new Set<RunningThread>();
  readonly #waiting = new Set<Job>();
  /** Jobs that were canceled after a thread had got them. */
  readonly #canceled = new WeakSet<Job>();
  #isFlushPlanned = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(settings: EncryptionSettings) {
    this.#settings = settings;
  }

  /** The number of running threads. */
  get size(): number {
    return this.#threads.size;
  }

  /** Encrypts a message. `done` is called once, after this has returned, unless it is canceled. */
  encrypt(message: PlainMessage, done: Encrypted): Cancel {
    const job = { message, done };
    this.#waiting.add(job);
    if (this.#waiting.size >= batchSize) this.#flush();
    else this.#planFlush();
    return () => {
      if (!this.#waiting.delete(job)) this.#canceled.add(job);
    };
  }

  /** Stops all threads. Messages that are not encrypted yet fail. */
  stop(): void {
    const failed = new EncryptionFailed("The encryption threads were stopped.");
    for (const job of this.#waiting) job.done(failed);
    this.#waiting.clear();
    clearTimeout(this.#idleTimer);
    for (const thread of this.#threads) this.#stop(thread, "was stopped");
  }

  /** Messages of the same turn of the event loop share a batch. */
  #planFlush(): void {
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    queueMicrotask(() => {
      this.#isFlushPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#waiting.size > 0) {
      const thread = this.#available();
      if (thread === undefined) return;
      const batch = [...this.#waiting].slice(0, batchSize);
      for (const job of batch) this.#waiting.delete(job);
      this.#send(thread, batch);
    }
  }

  /** The thread with the fewest batches; a new one if all have enough; undefined if there are enough. */
  #available(): RunningThread | undefined {
    let least: RunningThread | undefined;
    for (const thread of this.#threads)
      if (least === undefined || thread.batches.length < least.batches.length) least = thread;
    if (least !== undefined && least.batches.length < batchesPerThread) return least;
    return this.#threads.size < this.#settings.maxThreads ? this.#start() : undefined;
  }

  #send(running: RunningThread, batch: ReadonlyArray<Job>): void {
    clearTimeout(this.#idleTimer);
    running.batches.push(batch);
    if (running.batches.length === 1) this.#expectAnswer(running);
    running.thread.send(batch.map(({ message }) => message));
  }

  #expectAnswer(running: RunningThread): void {
    const { answerMillis } = this.#settings;
    clearTimeout(running.timer);
    running.timer = setTimeout(
      () => this.#stop(running, `did not answer for ${answerMillis} ms`),
      answerMillis,
    );
    running.timer.unref();
  }

  #start(): RunningThread {
    const thread = this.#settings.start({
      answered: (bodies) => this.#answered(running, bodies),
      ended: (problem) => this.#stop(running, problem),
    });
    const running: RunningThread = { thread, batches: [], timer: undefined };
    this.#threads.add(running);
    return running;
  }

  #answered(running: RunningThread, bodies: EncryptionAnswer): void {
    if (!this.#threads.has(running)) return;
    const batch = running.batches.shift() ?? [];
    if (running.batches.length > 0) this.#expectAnswer(running);
    else clearTimeout(running.timer);
    this.#flush();
    for (const [index, job] of batch.entries()) this.#finish(job, bodies[index] ?? null);
    if ([...this.#threads].some(({ batches }) => batches.length > 0)) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.stop(), this.#settings.idleMillis);
    this.#idleTimer.unref();
  }

  #stop(running: RunningThread, problem: string): void {
    if (!this.#threads.delete(running)) return;
    clearTimeout(running.timer);
    running.thread.stop();
    const failed = new EncryptionFailed(`The encryption thread ${problem}.`);
    for (const job of running.batches.flat()) this.#finish(job, failed);
    this.#planFlush();
  }

  #finish(job: Job, body: Uint8Array | null | EncryptionFailed): void {
    if (!this.#canceled.has(job)) job.done(body);
  }
}
