import { Context, Effect, Queue, type Scope } from "effect";
import process from "node:process";
import { type MemberMessage, metricsMillis, type SupervisorMessage } from "./ProcessMessages.ts";

/** The supervisor, as one of its processes reaches it. */
export interface SupervisorConnection {
  /** Reports that this process works, and where the request processes listen. */
  readonly ready: (address: string) => Effect.Effect<void>;
  /** Reports why this process cannot start, and ends it. */
  readonly refuse: (message: string, isFinal: boolean) => Effect.Effect<never>;
  /** Gives the metrics of this process to the supervisor whenever it asks, until the scope closes. */
  readonly publishMetrics: (own: Effect.Effect<string>) => Effect.Effect<void, never, Scope.Scope>;
  /** The metrics of all processes. Null if the supervisor does not answer in time. */
  readonly metricsOfAll: Effect.Effect<string | null>;
}

/** The supervisor of this process; null if it runs alone. */
export const SupervisorChannel = Context.Reference<SupervisorConnection | null>(
  "waypost/processes/SupervisorChannel",
  { defaultValue: () => null },
);

/** A message to a supervisor that has ended is lost: this process ends, too. */
const send = (message: MemberMessage, sent: () => void = () => undefined): void =>
  void process.send?.(message, undefined, undefined, sent);

const refusedExitCode = 1;

/** How long the metrics of all may take: a collection may have begun before, and this one follows it. */
const maxWaitMillis = 2 * metricsMillis + 1_000;

/** Connects this process to the supervisor that started it. */
export const connectToSupervisor = (): SupervisorConnection => {
  const waiting = new Map<number, (text: string) => void>();
  const wanted = new Set<(id: number) => void>();
  let lastId = 0;
  // A terminal sends Ctrl-C to all processes. The supervisor decides when this one stops.
  process.removeAllListeners("SIGINT").on("SIGINT", () => undefined);
  process.on("message", (message: SupervisorMessage) => {
    if (message.kind === "metrics") waiting.get(message.id)?.(message.text);
    else for (const want of wanted) want(message.id);
  });
  return {
    ready: (address) => Effect.sync(() => send({ kind: "ready", address })),
    refuse: (message, isFinal) =>
      Effect.callback<never>(() =>
        send({ kind: "refused", message, isFinal }, () => process.exit(refusedExitCode)),
      ),
    publishMetrics: Effect.fnUntraced(function* (own) {
      const ids = yield* Queue.unbounded<number>();
      const want = (id: number): void => void Queue.offerUnsafe(ids, id);
      yield* Effect.acquireRelease(
        Effect.sync(() => wanted.add(want)),
        () => Effect.sync(() => wanted.delete(want)),
      );
      const answer = Effect.flatMap(Queue.take(ids), (id) =>
        Effect.map(own, (text) => send({ kind: "metrics", id, text })),
      );
      yield* Effect.forkScoped(Effect.forever(answer));
    }),
    metricsOfAll: Effect.suspend(() => {
      const id = ++lastId;
      return Effect.callback<string | null>((resume) => {
        waiting.set(id, (text) => resume(Effect.succeed(text)));
        send({ kind: "metrics_wanted", id });
        return Effect.sync(() => waiting.delete(id));
      }).pipe(
        Effect.timeoutOrElse({ duration: maxWaitMillis, orElse: () => Effect.succeed(null) }),
        Effect.ensuring(Effect.sync(() => waiting.delete(id))),
      );
    }),
  };
};
