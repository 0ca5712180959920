import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import fc from "fast-check";
import { randomUUID } from "node:crypto";
import { testStart } from "../TestWaypost.ts";
import { decide, dwelling, withoutJobs } from "./DwellWorld.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

/** Visits in plain words, over all events known at a time. Times are in half minutes. */

interface KnownEvent {
  readonly type: "enter" | "exit";
  readonly at: number;
  readonly reportedAt: number;
}

/** Half minutes after the minute at which a visit no longer fires. */
const tooLate = 30;

/**
 * When a device gets the message of a notification that waits for so many half minutes: each enter is looked
 * at once, when its minute has come and it is known.
 */
const firedAt = (events: ReadonlyArray<KnownEvent>, wait: number, end: number): Array<number> => {
  const fired: Array<{ readonly from: number; readonly at: number }> = [];
  for (let now = 0; now <= end; now++) {
    const known = events.filter(({ reportedAt }) => reportedAt <= now).toSorted((a, b) => a.at - b.at);
    const due = known.filter(
      ({ at, reportedAt, type }) => type === "enter" && Math.max(at + wait, reportedAt) === now,
    );
    for (const enter of due) {
      if (now - (enter.at + wait) > tooLate) continue;
      const before = known.findLast(({ at }) => at < enter.at);
      if (before?.type === "enter") continue;
      const exit = known.find(({ at, type }) => type === "exit" && at > enter.at)?.at ?? Infinity;
      if (exit < enter.at + wait) continue;
      if (fired.some(({ from }) => from > enter.at && from < exit)) continue;
      fired.push({ from: enter.at, at: now });
    }
  }
  return fired.map(({ at }) => at);
};

const halfMinute = 30_000;
const end = 100;
const waits = [6, 20];

/** Events at distinct times, most of them reported at once, some late and out of order. */
const script = fc
  .uniqueArray(
    fc.record({
      type: fc.constantFrom("enter" as const, "enter" as const, "exit" as const),
      at: fc.nat({ max: 70 }),
      delay: fc.oneof(
        { weight: 3, arbitrary: fc.constant(0) },
        { arbitrary: fc.nat({ max: 45 }), weight: 1 },
      ),
    }),
    { selector: ({ at }) => at, minLength: 1, maxLength: 12 },
  )
  .map((events) => events.map(({ at, delay, type }): KnownEvent => ({ type, at, reportedAt: at + delay })));

layer(withoutJobs)("Visits of many devices", (it) => {
  it.effect(
    "any events in any order of reports fire as the visits in plain words do (P1.2, P1.3, X21.1)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* givenWorkspace();
        const location = yield* production.location();
        const campaign = yield* production.campaign({ location_ids: [location] });
        for (const wait of waits)
          yield* production.notification(campaign, { ...dwelling(wait / 2), headline: `${wait}` });
        const scripts = fc.sample(script, { numRuns: 60, seed: 20_261_122 });
        const phones = yield* Effect.forEach(scripts, () => production.phone());
        // The first half minutes are in the past when the test begins.
        for (let now = 0; now <= end; now++) {
          yield* TestClock.setTime(testStart + now * halfMinute);
          yield* Effect.forEach(
            scripts,
            (events, index) => {
              const reported = events.filter(({ reportedAt }) => reportedAt === now);
              return reported.length === 0
                ? Effect.void
                : (phones[index]?.report(
                    reported.map(({ at, type }) => ({
                      id: randomUUID(),
                      type,
                      location_id: location,
                      occurred_at: new Date(testStart + at * halfMinute).toISOString(),
                    })),
                  ) ?? Effect.void);
            },
            { concurrency: 8 },
          );
          yield* decide;
        }
        let messages = 0;
        for (const [index, events] of scripts.entries()) {
          const inbox = (yield* phones[index]?.inbox("?limit=100") ?? Effect.succeed([])).map(
            ({ delivered_at, headline }) =>
              `${headline} at ${(Date.parse(delivered_at) - testStart) / halfMinute}`,
          );
          const expected = waits.flatMap((wait) =>
            firedAt(events, wait, end).map((at) => `${wait} at ${at}`),
          );
          messages += expected.length;
          assert.sameMembers(inbox, expected, JSON.stringify(events));
        }
        assert.isAbove(messages, 60);
      }),
  );
});
