import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import type { Audience } from "../../src/devices/SegmentRule.ts";
import { eventReceivers, type WantedMessage } from "../../src/events/custom/EventReceivers.ts";
import { EventTriggersSql } from "../../src/events/custom/EventTriggersSql.ts";

const gold = { attribute: "plan", op: "eq", value: "gold" } as const;
const audienceOf = (...sizes: ReadonlyArray<number>): Audience => ({
  match: "any",
  rules: sizes.map((size) => ({ match: "all", conditions: Array.from({ length: size }, () => gold) })),
});
const wanted = (environment: string, audience: Audience, ...deviceKeys: ReadonlyArray<number>) =>
  ({ workspaceId: 1, environment, match: { audience }, deviceKeys }) as unknown as WantedMessage;

/** The audiences of each statement, and the devices that are chosen: those with an even key are in all. */
const chosen = (...messages: ReadonlyArray<WantedMessage>) =>
  Effect.gen(function* () {
    const read: Array<number> = [];
    const reachable = (_: object, keys: ReadonlyArray<number>, audiences: ReadonlyArray<Audience>) => {
      read.push(audiences.length);
      return Effect.succeed(keys.map((key) => ({ key, isIn: audiences.map(() => key % 2 === 0) })));
    };
    const choose = yield* Effect.provideService(eventReceivers, EventTriggersSql, {
      reachable,
    } as unknown as EventTriggersSql["Service"]);
    return [(yield* choose(messages)).map((key) => key && Number(key)), read];
  });

describe("The devices of messages of events", () => {
  it.effect("one statement reads those of all campaigns of an environment (V4.3)", () =>
    Effect.gen(function* () {
      const [small, everyone] = [audienceOf(1, 2), audienceOf()];
      const campaigns = [wanted("production", small, 1, 4), wanted("production", audienceOf(3), 3)];
      const others = [wanted("production", small, 5, 6), wanted("production", everyone, 7)];
      assert.deepStrictEqual(yield* chosen(...campaigns, ...others), [[4, null, 6, 7], [2]]);
      assert.deepStrictEqual(yield* chosen(wanted("production", small, 2), wanted("sandbox", small, 3)), [
        [2, null],
        [1, 1],
      ]);
    }),
  );

  it.effect("a statement has at most 100 conditions, or one audience (V4.3)", () =>
    Effect.gen(function* () {
      const sizes = [50, 49, 2, 120, 1].map((size) => wanted("production", audienceOf(size), 2));
      assert.deepStrictEqual((yield* chosen(...sizes))[1], [2, 1, 1, 1]);
    }),
  );
});
