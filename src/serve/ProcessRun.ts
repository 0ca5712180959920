/** One run of a process under the supervisor. */
import { Effect } from "effect";
import cluster, { type Worker } from "node:cluster";
import { isSea } from "node:sea";
import type { SettingsRecord } from "../config/Settings.ts";
import { environmentOf, type Member } from "../processes/ProcessMember.ts";
import { type MemberMessage, metricsMillis, type SupervisorMessage } from "../processes/ProcessMessages.ts";
import { passOnWhenEnded } from "./PassedConnections.ts";

/** How a run ended. */
export interface RunEnd {
  /** `exit code 1`, `signal SIGKILL`, or the error of the system. */
  readonly reason: string;
  /** The last message of the process before it ended; null if it sent none. */
  readonly refusal: { readonly message: string; readonly isFinal: boolean } | null;
}

/** The beginning of a run: the process works, or it ended before. */
export type RunStart = { readonly address: string } | RunEnd;

/**
 * Makes this program the one that `fork` starts. The executable has no script, and has the options of Node
 * inside: it would read them as its own arguments.
 */
const forkThisProgram = (): void => {
  const script = process.argv[1];
  if (isSea() || script === undefined) cluster.setupPrimary({ exec: "serve", args: [], execArgv: [] });
  else cluster.setupPrimary({ exec: script, args: ["serve"] });
};

/** A started process. It never rejects: a process that cannot be started is one that ended. */
export class ProcessRun {
  readonly member: Member;
  readonly startedAt = performance.now();
  readonly started: Promise<RunStart>;
  readonly ended: Promise<RunEnd>;
  /** The metrics that the process gave last, in the text format of Prometheus. */
  lastMetrics = "";
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (text: string) => void>();
  #lastId = 0;
  #isReady = false;
  #hasEnded = false;

  /** `wantsMetrics` is called when the process asks for the metrics of all. */
  constructor(member: Member, record: SettingsRecord, wantsMetrics: (run: ProcessRun, id: number) => void) {
    forkThisProgram();
    this.member = member;
    const worker = cluster.fork(environmentOf(member, record));
    this.#worker = worker;
    passOnWhenEnded(worker);
    let refusal: RunEnd["refusal"] = null;
    let onReady: (start: RunStart) => void = () => undefined;
    const ready = new Promise<RunStart>((resolve) => (onReady = resolve));
    worker.on("message", (message: MemberMessage) => {
      if (message.kind === "refused") refusal = message;
      else if (message.kind === "metrics_wanted") wantsMetrics(this, message.id);
      else if (message.kind === "metrics") this.#waiting.get(message.id)?.(message.text);
      else {
        this.#isReady = true;
        onReady({ address: message.address });
      }
    });
    this.ended = new Promise<RunEnd>((resolve) => {
      worker.on("error", (error) => {
        // A message to a process that has just been killed also fails: its exit follows.
        if (worker.process.pid === undefined) resolve({ reason: error.message, refusal });
      });
      worker.process.once("exit", (code, name) =>
        resolve({ reason: name === null ? `exit code ${code}` : `signal ${name}`, refusal }),
      );
    }).finally(() => {
      this.#hasEnded = true;
    });
    this.started = Promise.race([ready, this.ended]);
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  get isReady(): boolean {
    return this.#isReady && !this.#hasEnded;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  signal(name: NodeJS.Signals): void {
    if (!this.#hasEnded) this.#worker.process.kill(name);
  }

  /** Sends the metrics of all processes, as it asked for. */
  answer(id: number, text: string): void {
    this.#send({ kind: "metrics", id, text });
  }

  /** The metrics of the process; those that it gave last if it does not answer in time. */
  readonly metrics: Effect.Effect<string> = Effect.suspend(() => {
    if (this.#hasEnded) return Effect.succeed(this.lastMetrics);
    const id = ++this.#lastId;
    return Effect.callback<string>((resume) => {
      this.#waiting.set(id, (text) => {
        this.lastMetrics = text;
        resume(Effect.succeed(text));
      });
      this.#send({ kind: "metrics_wanted", id });
    }).pipe(
      Effect.timeoutOrElse({ duration: metricsMillis, orElse: () => Effect.succeed(this.lastMetrics) }),
      Effect.ensuring(Effect.sync(() => this.#waiting.delete(id))),
    );
  });

  /** A message to a process that has ended is lost. */
  #send(message: SupervisorMessage): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => undefined);
  }
}
