import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { collection, pointFeature } from "./Features.ts";

layer(TestWaypost.layer)("The endpoints of a location's shape and groups", (it) => {
  it.effect(
    "PUT of shape and groups: 404 before any problem, 405 for other methods, one write each, in both " +
      "environments (LO2.1, LO3.1, OS2.2, B1.5, B2.3, B3.1)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const plan = { sandbox_writes_per_minute: 3, production_writes_per_minute: 3 };
        const tenant = yield* waypost.tenant({ plan });
        const bodies = {
          shape: { geometry: { type: "Point", coordinates: [5.1, 52.1] }, radius_meters: 60 },
          groups: { groups: ["New"] },
        };
        const made = [];
        for (const environment of ["sandbox", "production"] as const) {
          const ask = tenant[environment];
          const { data } = (yield* ask("/locations/import", { body: collection(pointFeature()) })).body;
          const [{ id }] = data.results;
          for (const [path, body] of Object.entries(bodies)) {
            const put = (at: string, sent: unknown = body) =>
              ask(`/locations/${at}/${path}`, { method: "PUT", body: sent });
            const got = yield* ask(`/locations/${id}/${path}`);
            assert.deepStrictEqual([got.status, got.headers.get("allow")], [405, "PUT"]);
            const { body: changed, headers, status } = yield* put(id);
            assert.strictEqual(status, 200);
            const isLast = path === "groups";
            assert.strictEqual(headers.get("ratelimit")?.includes('"writes";r=0'), isLast, path);
            assert.deepStrictEqual(changed.data, (yield* ask(`/locations/${id}`)).body.data);
          }
          const refused = yield* ask(`/locations/${id}/shape`, { method: "PUT", body: bodies.shape });
          assert.strictEqual(refused.status, 429);
          made.push({ ask, id });
        }
        for (const [index, { ask }] of made.entries())
          for (const path of Object.keys(bodies)) {
            yield* TestClock.adjust("1 minute");
            for (const other of [made[1 - index]?.id, "import"]) {
              const { body } = yield* ask(`/locations/${other}/${path}`, { method: "PUT", body: "[" });
              assert.strictEqual(body.error.code, "not_found", `${other}/${path}`);
            }
          }
      }),
  );
});
