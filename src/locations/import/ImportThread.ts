import type { Worker } from "node:worker_threads";
import { startThread } from "../../workers/ProgramThread.ts";
import type { ImportAnswer, ImportRequest } from "./ImportMessages.ts";

/** Limits of the import thread. Times are real time, also where a test controls the clock. */
export interface ThreadLimits {
  /** Milliseconds after which the thread is stopped if it does not answer. */
  readonly answerMillis: number;
  /** Milliseconds after which an idle thread is stopped, which gives its memory back. */
  readonly idleMillis: number;
  /** The maximum heap of the thread, in MiB. */
  readonly heapMegabytes: number;
}

/** The thread did not answer, or ended. */
export class ImportThreadFailed extends Error {
  override readonly name = "ImportThreadFailed";
}

interface Waiting {
  readonly resolve: (answer: ImportAnswer) => void;
  readonly reject: (error: ImportThreadFailed) => void;
  readonly timer: NodeJS.Timeout;
}

/** A body that the thread reads. */
export interface ThreadBody {
  /** Sends the next bytes, which are moved to the thread. @throws ImportThreadFailed */
  readonly push: (bytes: Uint8Array) => Promise<ImportAnswer>;
  /** Ends the body. @throws ImportThreadFailed */
  readonly end: () => Promise<ImportAnswer>;
  /** Forgets the body, whether it was read to its end or not. */
  readonly close: () => void;
}

/** The import thread as seen from the main thread. It starts with the first body. */
export class ImportThread {
  readonly #limits: ThreadLimits;
  /** The bodies that are open, and the answers that they wait for: at most one each. */
  readonly #bodies = new Map<number, Waiting | null>();
  #lastBody = 0;
  #worker: Worker | null = null;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(limits: ThreadLimits) {
    this.#limits = limits;
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  readonly open = (): ThreadBody => {
    clearTimeout(this.#idleTimer);
    const worker = (this.#worker ??= this.#start());
    const body = ++this.#lastBody;
    this.#bodies.set(body, null);
    return {
      // A copy: the buffer of a piece may hold other bytes of the connection.
      push: (bytes) => this.#ask(worker, { _tag: "piece", body, bytes: new Uint8Array(bytes) }),
      end: () => this.#ask(worker, { _tag: "end", body }),
      close: () => this.#close(worker, body),
    };
  };

  readonly stop = (): void => {
    if (this.#worker !== null) this.#stop(this.#worker, "was stopped");
  };

  #ask(worker: Worker, request: ImportRequest): Promise<ImportAnswer> {
    // A new thread has not read the beginning of the body.
    if (this.#worker !== worker) return Promise.reject(new ImportThreadFailed("The import thread ended."));
    return new Promise((resolve, reject) => {
      const { answerMillis } = this.#limits;
      const timer = setTimeout(
        () => this.#stop(worker, `did not answer for ${answerMillis} ms`),
        answerMillis,
      );
      this.#bodies.set(request.body, { resolve, reject, timer });
      worker.postMessage(request, request._tag === "piece" ? [request.bytes.buffer as ArrayBuffer] : []);
    });
  }

  #start(): Worker {
    const worker = startThread({
      name: "import",
      file: new URL("./ImportWorker.ts", import.meta.url),
      heapMegabytes: this.#limits.heapMegabytes,
    });
    worker.on("message", (answer: ImportAnswer) => {
      const waiting = this.#bodies.get(answer.body);
      if (waiting === undefined || waiting === null) return;
      clearTimeout(waiting.timer);
      this.#bodies.set(answer.body, null);
      waiting.resolve(answer);
    });
    worker.on("error", (error: Error) => this.#stop(worker, `failed: ${error.message}`));
    worker.on("exit", (code) => this.#stop(worker, `ended with ${code}`));
    return worker;
  }

  #close(worker: Worker, body: number): void {
    const waiting = this.#bodies.get(body);
    if (this.#worker !== worker || waiting === undefined) return;
    clearTimeout(waiting?.timer);
    this.#bodies.delete(body);
    worker.postMessage({ _tag: "close", body } satisfies ImportRequest);
    if (this.#bodies.size > 0) return;
    this.#idleTimer = setTimeout(this.stop, this.#limits.idleMillis);
    this.#idleTimer.unref();
  }

  #stop(worker: Worker, problem: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    clearTimeout(this.#idleTimer);
    for (const waiting of this.#bodies.values()) {
      clearTimeout(waiting?.timer);
      waiting?.reject(new ImportThreadFailed(`The import thread ${problem}.`));
    }
    this.#bodies.clear();
    void worker.terminate();
  }
}
