import { assert, describe, it, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { everyEndpoint, namedPlaces } from "./Endpoints.ts";
import { exampleOf, pageOf, send, told } from "./Examples.ts";
import { makeGround, roomyWorkspace } from "./Ground.ts";

describe("examples of endpoints", () => {
  it("say of every id in a body or query what it names", () => {
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

layer(TestWaypost.layer)("examples of endpoints", (it) => {
  it.effect("succeed, each with a status that its document lists", () =>
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
