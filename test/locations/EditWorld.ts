import { assert } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { box, collection, pointFeature, polygonFeature } from "./Features.ts";

/** A circle and a polygon, and functions that change a location. */
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
  const send = (path: string, method: string) => {
    const ask = (body: unknown, id = circle, headers: Record<string, string> = {}) =>
      tenant.sandbox(`/locations/${id}${path}`, { method, body, headers });
    /** The problems of a body that is refused. */
    const problems = (body: unknown, id = circle) =>
      Effect.map(ask(body, id), ({ body: { error }, status }) => {
        assert.deepStrictEqual(
          [status, error?.code],
          [422, "validation_failed"],
          JSON.stringify(body).slice(0, 99),
        );
        return error.fields as Record<string, ReadonlyArray<string>>;
      });
    return Object.assign(ask, { problems });
  };
  const changes = {
    patch: send("", "PATCH"),
    putShape: send("/shape", "PUT"),
    putGroups: send("/groups", "PUT"),
  };
  return { ...tenant, circle: circle ?? "", area: area ?? "", read, ...changes };
});
