import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { push } from "../campaigns/CampaignWorld.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { type Answer, testStart } from "../TestWaypost.ts";

/** A tenant at the start of the test, with the operator interface to its segments. */
export const segmentWorld = Effect.gen(function* () {
  yield* TestClock.setTime(testStart);
  const world = yield* givenWorkspace();
  const { operator } = world.waypost;
  const path = (environment: string) => `/workspaces/${world.workspace.id}/${environment}/segments`;
  let made = 0;
  return {
    ...world,
    operator,
    path,
    segment: world.sandbox.segment,
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
