import { assert, describe, it } from "@effect/vitest";
import { readFileSync } from "node:fs";
import type { DeviceAnswer, DeviceState } from "../../sdk/core/DeviceState.ts";
import type { Entry } from "../../sdk/core/Entry.ts";
import { nextRequest } from "../../sdk/core/NextRequest.ts";
import { outcomeOf, pauseEnd, type AttemptFacts } from "../../sdk/core/Outcome.ts";
import type { Fix, Geofence } from "../../sdk/core/Geofence.ts";
import { subscribingStep } from "../../sdk/core/PushSubscribing.ts";
import { follow, needsFences, type Tracking, withFences } from "../../sdk/core/Tracking.ts";

const vectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../schema/vectors/${name}.json`, import.meta.url), "utf8"));

interface Step {
  readonly request: unknown;
  readonly answer: DeviceAnswer | null;
  readonly around: AttemptFacts;
  readonly done: number;
  readonly dropped: ReadonlyArray<readonly [index: number | null, reasons: ReadonlyArray<string>]>;
  readonly messages: number;
  readonly state: Partial<DeviceState>;
}

describe("Vectors of the device core (BW7)", () => {
  const { pauses, scenarios } = vectors("queue") as {
    readonly pauses: ReadonlyArray<
      Pick<DeviceState, "pausedAt" | "retryAt"> & {
        readonly name: string;
        readonly now: number;
        readonly end: number | null;
      }
    >;
    readonly scenarios: ReadonlyArray<{
      readonly name: string;
      readonly state: DeviceState;
      readonly entries: ReadonlyArray<Entry>;
      readonly steps: ReadonlyArray<Step>;
    }>;
  };
  for (const scenario of scenarios)
    it(`${scenario.name} (BW7, BW4, Y25)`, () => {
      let { entries, state } = scenario;
      for (const step of scenario.steps) {
        const next = nextRequest(state, entries);
        assert.deepStrictEqual<unknown>(next?.request, step.request);
        const taken = entries.slice(0, next?.taken);
        const outcome = outcomeOf(state, taken, step.answer, step.around);
        assert.strictEqual(outcome.done, step.done);
        assert.strictEqual(outcome.messages.length, step.messages);
        assert.deepStrictEqual(
          outcome.dropped.map(({ entry, reasons }) => [entries.indexOf(entry), reasons]),
          step.dropped.map(([index, reasons]) => [index ?? -1, reasons]),
        );
        for (const [name, value] of Object.entries(step.state))
          assert.deepStrictEqual<unknown>(outcome.state[name as keyof DeviceState], value, name);
        state = outcome.state;
        entries = entries.slice(outcome.done);
      }
    });

  for (const { end, name, now, ...pause } of pauses)
    it(`${name} (BW7, BW4)`, () => {
      assert.strictEqual(pauseEnd(pause, now), end);
    });

  const walks = vectors("tracking") as {
    readonly scenarios: ReadonlyArray<{
      readonly name: string;
      readonly tracking: Tracking;
      readonly steps: ReadonlyArray<{
        readonly fix: Fix;
        readonly asks: boolean;
        readonly answer?: ReadonlyArray<Geofence> | null;
        readonly sent: boolean;
      }>;
    }>;
  };
  for (const walk of walks.scenarios)
    it(`${walk.name} (BW7, BW5)`, () => {
      let { tracking } = walk;
      for (const { answer = null, asks, fix, sent } of walk.steps) {
        assert.strictEqual(needsFences(tracking, fix), asks);
        const known = answer === null ? tracking : withFences(tracking, answer, fix);
        const followed = follow(known, fix, needsFences(known, fix));
        assert.strictEqual(followed.isSent, sent, String(fix.at));
        ({ tracking } = followed);
      }
    });

  const { cases } = vectors("push-address") as {
    readonly cases: ReadonlyArray<{
      readonly name: string;
      readonly facts: Parameters<typeof subscribingStep>[0];
      readonly step: unknown;
    }>;
  };
  for (const { facts, name, step } of cases)
    it(`${name} (BW7, BW3)`, () => {
      assert.deepStrictEqual<unknown>(subscribingStep(facts), step);
    });
});
