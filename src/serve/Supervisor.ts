/** `waypost serve` with several processes: one port, request processes on it, and a worker beside them. */
import { Data, Effect } from "effect";
import { Fingerprint } from "../access/Fingerprint.ts";
import { type SettingsRecord, Settings } from "../config/Settings.ts";
import { Database } from "../database/Database.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import { EmbeddedPostgres } from "../database/embedded/EmbeddedPostgres.ts";
import { serverConnections } from "../database/ServerConnections.ts";
import { countReplaced } from "../http/ProcessMetrics.ts";
import { removeUploads } from "../media/upload/UploadFolder.ts";
import {
  connectionShare,
  embeddedMaxConnections,
  limitedByServer,
  maxProcesses,
} from "./ConnectionShares.ts";
import type { Member } from "../processes/ProcessMember.ts";
import { announce } from "./Announcement.ts";
import { drain } from "./Draining.ts";
import { ProcessRun, type RunEnd } from "./ProcessRun.ts";
import { keepMemorySmall } from "./QuietMemory.ts";
import { makeSupervisorMetrics } from "./SupervisorMetrics.ts";

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

/** A process cannot start, and would not start again either. `message` says why. */
export class ProcessRefused extends Data.TaggedError("ProcessRefused")<{ readonly message: string }> {}

/** The database server allows too few connections for the processes. */
export class TooManyProcesses extends Data.TaggedError("TooManyProcesses")<{
  readonly processes: number;
  readonly max: number;
}> {
  override get message(): string {
    return (
      `The database server has too few connections for ${this.processes} request processes. ` +
      `Set WAYPOST_PROCESSES to at most ${this.max}, or raise max_connections of the server.`
    );
  }
}

/** Starts the embedded server, if it is used. It runs for as long as the scope. */
const startServer = Effect.fnUntraced(function* (requestProcesses: number) {
  const { databaseUrl } = yield* Settings;
  if (databaseUrl !== undefined) return null;
  const { path } = yield* DataDirectory;
  const settings = { max_connections: String(embeddedMaxConnections(requestProcesses)) };
  return yield* EmbeddedPostgres.make({ directory: path, settings });
});

/**
 * Migrates the database and checks the secret key, once for all processes. Returns how many connections the
 * server accepts. Its own connections are closed then.
 */
const prepareDatabase = (server: EmbeddedPostgres["Service"] | null) =>
  serverConnections.pipe(Effect.provide(Fingerprint.layer), Effect.provide(Database.layerOf(server)));

/** The parts of the processes. The worker gets the address of the request processes. */
const planMembers = Effect.fnUntraced(function* (
  wanted: number,
  server: EmbeddedPostgres["Service"] | null,
  available: number,
) {
  const { processes, roles } = yield* Settings;
  const connections = { available, isOwn: server !== null };
  const requestProcesses = processes === "auto" ? limitedByServer(wanted, connections) : wanted;
  const workers = roles.has("worker") ? 1 : 0;
  const share = connectionShare(requestProcesses, workers, connections);
  if (share === null) {
    return yield* new TooManyProcesses({ processes: requestProcesses, max: maxProcesses(connections) });
  }
  const database =
    server === null
      ? null
      : { socketPath: server.socketPath, username: server.username, database: server.database };
  const part = { connections: share, database };
  const requests = Array.from({ length: requestProcesses }, (_, index): Member => ({
    ...part,
    name: `api-${index + 1}`,
    role: "api",
    address: null,
  }));
  const worker = (address: string): Member => ({ ...part, name: "worker", role: "worker", address });
  return { requests, worker: workers === 0 ? null : worker };
});

const noteStart = ({ member, pid }: ProcessRun) =>
  Effect.logInfo(`The process ${member.name} runs (process id ${pid})`);

/** Starts and replaces processes. They end with the scope. */
const makeProcesses = Effect.fnUntraced(function* (record: SettingsRecord) {
  const runs = new Set<ProcessRun>();
  const metrics = yield* makeSupervisorMetrics(runs);
  yield* Effect.addFinalizer(() => Effect.promise(() => drain([...runs])));

  const start = (member: Member): ProcessRun => {
    const run = new ProcessRun(member, record, metrics.request);
    runs.add(run);
    return run;
  };

  /** Starts a process for the first time: whatever ends it before it works ends all. */
  const startFirst = Effect.fnUntraced(function* (member: Member) {
    const run = start(member);
    const begun = yield* Effect.promise(() => run.started);
    if ("address" in begun) {
      yield* noteStart(run);
      return { run, address: begun.address };
    }
    const message = `The process ${member.name} ended while it started (${begun.reason}).`;
    return yield* new ProcessRefused({ message: begun.refusal?.message ?? message });
  });

  const noteEnd = Effect.fnUntraced(function* ({ member }: ProcessRun, end: RunEnd, pauseMillis: number) {
    if (end.refusal?.isFinal === true) return yield* new ProcessRefused(end.refusal);
    yield* countReplaced(member.role);
    const why = end.refusal === null ? end.reason : end.refusal.message;
    yield* Effect.logError(
      `The process ${member.name} ended (${why}); another one starts in ${pauseMillis} ms`,
    );
  });

  /** Replaces a process whenever it ends. Fails if a replacement cannot start because of its settings. */
  const keepRunning = Effect.fnUntraced(function* (first: ProcessRun, address: string) {
    const pauses = new RestartPauses();
    let run = first;
    for (;;) {
      const end = yield* Effect.promise(() => run.ended);
      runs.delete(run);
      metrics.keep(run);
      const pauseMillis = pauses.after(performance.now() - run.startedAt);
      yield* noteEnd(run, end, pauseMillis);
      yield* Effect.sleep(pauseMillis);
      run = start(run.member);
      const begun = yield* Effect.promise(() => run.started);
      if (!("address" in begun)) continue;
      if (begun.address !== address) {
        // With PORT=0 the system picks a port, which is lost with the last process that listens on it.
        return yield* new ProcessRefused({ message: `All request processes ended, so ${address} is lost.` });
      }
      yield* noteStart(run);
    }
  });

  return { startFirst, keepRunning };
});

/**
 * Runs `wanted` request processes, or as many as the database server has connections for, and a worker if
 * this machine has the role. Fails with the sentence of a process that cannot start.
 */
export const supervise = Effect.fnUntraced(function* (record: SettingsRecord, wanted: number) {
  const { path } = yield* DataDirectory;
  const server = yield* startServer(wanted);
  const available = yield* prepareDatabase(server);
  yield* removeUploads(path);
  const { requests, worker } = yield* planMembers(wanted, server, available);
  const { keepRunning, startFirst } = yield* makeProcesses(record);
  const started = yield* Effect.forEach(requests, startFirst, { concurrency: "unbounded" });
  const address = started[0]?.address ?? "";
  const begun = worker === null ? [] : [yield* startFirst(worker(address))];
  yield* announce(record, address);
  yield* keepMemorySmall();
  return yield* Effect.forEach([...started, ...begun], ({ run }) => keepRunning(run, address), {
    concurrency: "unbounded",
    discard: true,
  });
}, Effect.scoped);
