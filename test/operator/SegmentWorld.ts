import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { push } from "../campaigns/CampaignWorld.ts";
import { devicesOf } from "../devices/TestDevices.ts";
import { type Answer, testStart } from "../TestWaypost.ts";

/** The rule of most tests. */
export const gold = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };
/** A rule of these conditions. */
export const rule = (...conditions: ReadonlyArray<object>) => ({ match: "all", conditions });

/** A tenant at the start of the test, with the operator interface to its segments. */
export const segmentWorld = Effect.gen(function* () {
  yield* TestClock.setTime(testStart);
  const world = yield* devicesOf();
  const { operator } = world.waypost;
  const path = (environment: string) => `/workspaces/${world.workspace.id}/${environment}/segments`;
  let made = 0;
  return {
    ...world,
    operator,
    path,
    /** Creates a segment in Sandbox; gives its id. */
    segment: (body: object = {}) =>
      Effect.gen(function* () {
        const answer = yield* operator(path("sandbox"), {
          body: { name: `Segment ${++made}`, rule: gold, ...body },
        });
        assert.strictEqual(answer.status, 201, JSON.stringify(answer.body));
        return answer.body.data.id as string;
      }),
    campaign: (segments: ReadonlyArray<string>, more: object = {}) =>
      world.platform.sandbox("/campaigns", {
        body: push({ name: `Campaign ${++made}`, segmentation_ids: segments, ...more }),
      }),
  };
});

/** The problems of a refusal by field. */
export const refusal = (answer: Answer) => {
  assert.deepStrictEqual([answer.status, answer.body.error?.code], [422, "validation_failed"]);
  return answer.body.error.fields;
};
