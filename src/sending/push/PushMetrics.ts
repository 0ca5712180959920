import { Context, Effect, Metric } from "effect";
import type { PushProvider } from "./PushCredential.ts";
import type { Settlement } from "./PushOutcomesSql.ts";
import type { PushOutcome } from "./transports/PushTransport.ts";

const attempts = Metric.counter("waypost_push_attempts_total", {
  description:
    "Hand-overs to push services, by transport and outcome: Accepted, Gone, Refused, Unauthorized, Unavailable.",
  incremental: true,
});

const seconds = Metric.histogram("waypost_push_seconds", {
  description: "Time from a hand-over to its outcome, in seconds, by transport.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

const settled = Metric.counter("waypost_push_settled_total", {
  description:
    "Pushes by what became of them: delivered, failed, delayed (to be tried again), dropped (their send was stopped), returned (not handed over in time).",
  incremental: true,
});

const depth = Metric.gauge("waypost_push_queue", {
  description: "Pushes that no push service has decided on yet, by transport, counted up to 100,000 in all.",
});

interface Instruments {
  readonly accepted: Metric.Metric<number, unknown>;
  readonly attempt: Map<PushOutcome["_tag"], Metric.Metric<number, unknown>>;
  readonly seconds: Metric.Metric<number, unknown>;
}

const known = new Map<PushProvider, Instruments>();

const instruments = (transport: PushProvider): Instruments => {
  let found = known.get(transport);
  if (found === undefined) {
    const accepted = Metric.withAttributes(attempts, { transport, outcome: "Accepted" });
    found = {
      accepted,
      attempt: new Map([["Accepted", accepted]]),
      seconds: Metric.withAttributes(seconds, { transport }),
    };
    known.set(transport, found);
  }
  return found;
};

/** Counts one hand-over and how long it took. */
export const countAttempt = (
  transport: PushProvider,
  outcome: PushOutcome["_tag"],
  millis: number,
): Effect.Effect<void> => {
  const { attempt, seconds: duration } = instruments(transport);
  let counter = attempt.get(outcome);
  if (counter === undefined) {
    counter = Metric.withAttributes(attempts, { transport, outcome });
    attempt.set(outcome, counter);
  }
  return Effect.andThen(Metric.update(counter, 1), Metric.update(duration, millis / 1000));
};

/** Counts hand-overs that the service has taken, by how many milliseconds each of them took. */
export const countAccepted = (transport: PushProvider, millis: ReadonlyArray<number>): Effect.Effect<void> =>
  Effect.contextWith((all: Context.Context<never>) =>
    Effect.sync(() => {
      // Every update copies the services that it is given.
      const services = Context.pick(Metric.MetricRegistry)(all);
      const { accepted, seconds: duration } = instruments(transport);
      accepted.updateUnsafe(millis.length, services);
      for (const each of millis) duration.updateUnsafe(each / 1000, services);
    }),
  );

/** Counts pushes by what became of them. */
export const countSettled = (
  transport: PushProvider,
  verdict: Settlement["verdict"],
  count: number,
): Effect.Effect<void> => Metric.update(Metric.withAttributes(settled, { transport, verdict }), count);

/** Notes how many pushes wait. */
export const noteDepth = (transport: PushProvider, count: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(depth, { transport }), count);
