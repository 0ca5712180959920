import { assert, describe, it, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { everyEndpoint, namedPlaces } from "./Endpoints.ts";
import { exampleOf, pageOf, send, told } from "./Examples.ts";
import { makeGround, roomyWorkspace } from "./Ground.ts";

describe("Examples of endpoints", () => {
  it("every id in the body or query of an example has a kind", () => {
    const silent = everyEndpoint.flatMap((endpoint) => {
      const named = Object.keys(exampleOf(endpoint).names ?? {}).map((place) =>
        place.replaceAll(/\.\d+/g, ".*"),
      );
      return namedPlaces(endpoint)
        .filter((place) => !named.includes(place))
        .map((place) => `${endpoint.name}: say in ${pageOf(endpoint.of)} what "${place}" names`);
    });
    assert.deepStrictEqual(silent, []);
  });
});

layer(TestWaypost.layer)("Running the examples of endpoints", (it) => {
  it.effect("every example succeeds with a status that its document lists", () =>
    Effect.gen(function* () {
      const ground = yield* makeGround(yield* roomyWorkspace, "sandbox");
      for (const endpoint of everyEndpoint) {
        const answer = yield* send(ground, endpoint, yield* exampleOf(endpoint).request(ground));
        assert.isBelow(answer.status, 300, `${endpoint.name}: ${told(answer)}`);
        assert.property(endpoint.operation.responses, String(answer.status), endpoint.name);
        assert.property(answer.body, "data", endpoint.name);
      }
    }),
  );
});
