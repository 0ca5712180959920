import { Effect, Schedule } from "effect";
import type { Answer, Ask } from "../TestWaypost.ts";
import { asker } from "../TestWaypost.ts";
import type { Machine } from "./Machines.ts";

/**
 * A round-robin load balancer in front of processes. A request without an answer is sent again to the next
 * process, so callers send only requests that may be sent twice.
 */
export class Balancer {
  /** The processes that get requests. */
  readonly machines: Array<Machine>;
  /** Error answers, except those that ask for a retry. */
  readonly refusals: Array<string> = [];
  /** Requests without an answer, or with one that asks for a retry. Each was sent again. */
  readonly repeated: Array<string> = [];
  #turn = 0;

  constructor(machines: ReadonlyArray<Machine>) {
    this.machines = [...machines];
  }

  /** Stops sending requests to a process. */
  readonly without = (machine: Machine): void => {
    this.machines.splice(this.machines.indexOf(machine), 1);
  };

  /** Sends a request until it is answered, for at most two minutes. */
  readonly ask = (path: string, credential: string, ask: Ask = {}): Effect.Effect<Answer> =>
    Effect.suspend(() => {
      const machine = this.machines[this.#turn++ % this.machines.length];
      const retry = (why: string) =>
        Effect.suspend(() => {
          this.repeated.push(`${ask.method ?? "POST"} ${path}: ${why}`);
          return Effect.fail(new Error(why));
        });
      return asker(machine?.origin ?? "", credential)(path, ask).pipe(
        Effect.catchDefect((defect) => retry(String(defect))),
        Effect.tap(({ body, status }) =>
          status === 503 || body.error?.code === "request_in_progress"
            ? retry(`${status} ${JSON.stringify(body)}`)
            : Effect.void,
        ),
      );
    }).pipe(
      Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 2_400 }),
      Effect.tap(({ body, status }) =>
        Effect.sync(() => {
          if (status >= 300) this.refusals.push(`${path}: ${status} ${JSON.stringify(body)}`);
        }),
      ),
      Effect.orDie,
    );
}
