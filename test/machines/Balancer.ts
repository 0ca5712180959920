import { Effect, Schedule } from "effect";
import type { Answer, Ask } from "../TestWaypost.ts";
import { asker } from "../TestWaypost.ts";
import type { Machine } from "./Machines.ts";

/**
 * Asks one process after the other, as clients do behind a load balancer. Who gets no answer sends the same request again, to another: it is
 * one that may be sent twice.
 */
export class Balancer {
  /** Where requests go now. */
  readonly machines: Array<Machine>;
  /** What was answered with no success, but for those that ask for the request again. */
  readonly refusals: Array<string> = [];
  /** Requests that got no answer, or one that asks for them again: each is sent once more. */
  readonly repeated: Array<string> = [];
  #turn = 0;

  constructor(machines: ReadonlyArray<Machine>) {
    this.machines = [...machines];
  }

  /** Sends nothing more to this one. */
  readonly without = (machine: Machine): void => {
    this.machines.splice(this.machines.indexOf(machine), 1);
  };

  /** Sends it until it is answered, for at most two minutes. */
  readonly ask = (path: string, credential: string, ask: Ask = {}): Effect.Effect<Answer> =>
    Effect.suspend(() => {
      const machine = this.machines[this.#turn++ % this.machines.length];
      const again = (why: string) =>
        Effect.suspend(() => {
          this.repeated.push(`${ask.method ?? "POST"} ${path}: ${why}`);
          return Effect.fail(new Error(why));
        });
      return asker(machine?.origin ?? "", credential)(path, ask).pipe(
        Effect.catchDefect((defect) => again(String(defect))),
        Effect.tap(({ body, status }) =>
          status === 503 || body.error?.code === "request_in_progress"
            ? again(`${status} ${JSON.stringify(body)}`)
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
