import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { box, collection, pointFeature, polygonFeature } from "./Features.ts";

/** A circle and a polygon, and a function that changes a location. */
export const editWorld = Effect.gen(function* () {
  const tenant = yield* (yield* TestWaypost).tenant();
  const body = collection(
    pointFeature({ external_id: "c", group: "Old" }),
    polygonFeature(box(0, 0, 2, 1)),
    pointFeature({ name: "Neighbour", group: "Old" }),
  );
  const { results } = (yield* tenant.sandbox("/locations/import", { body })).body.data;
  const [circle, area]: ReadonlyArray<string> = results.map(({ id }: any) => id);
  yield* TestClock.adjust("1 minute");
  const read = (id = circle) => Effect.map(tenant.sandbox(`/locations/${id}`), (answer) => answer.body.data);
  const patch = (change: unknown, id = circle, headers: Record<string, string> = {}) =>
    tenant.sandbox(`/locations/${id}`, { method: "PATCH", body: change, headers });
  /** The problems of a change that is refused. */
  const problems = (change: unknown, id = circle) =>
    Effect.map(patch(change, id), ({ body: { error }, status }) => {
      assert.deepStrictEqual(
        [status, error?.code],
        [422, "validation_failed"],
        JSON.stringify(change).slice(0, 99),
      );
      return error.fields as Record<string, ReadonlyArray<string>>;
    });
  return { ...tenant, circle: circle ?? "", area: area ?? "", read, patch, problems };
});
