import { assert, describe, it, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { everyEndpoint, idPathsOf } from "./Endpoints.ts";
import { describeAnswer, exampleFileOf, exampleOf, send } from "./Examples.ts";
import { makeMatrixFixture, unlimitedWorkspace } from "./MatrixFixture.ts";

describe("Examples of endpoints", () => {
  it("every id in the body or query of an example has a kind", () => {
    const missing = everyEndpoint.flatMap((endpoint) => {
      const known = Object.keys(exampleOf(endpoint).idKinds ?? {}).map((path) =>
        path.replaceAll(/\.\d+/g, ".*"),
      );
      return idPathsOf(endpoint)
        .filter((path) => !known.includes(path))
        .map((path) => `${endpoint.name}: add the kind of "${path}" in ${exampleFileOf(endpoint.api)}`);
    });
    assert.deepStrictEqual(missing, []);
  });
});

layer(TestWaypost.shared)("Running the examples of endpoints", (it) => {
  it.effect("every example succeeds with a status that its document lists", () =>
    Effect.gen(function* () {
      const fixture = yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox");
      for (const endpoint of everyEndpoint) {
        const answer = yield* send(fixture, endpoint, yield* exampleOf(endpoint).request(fixture));
        assert.isBelow(answer.status, 300, `${endpoint.name}: ${describeAnswer(answer)}`);
        assert.property(endpoint.operation.responses, String(answer.status), endpoint.name);
        assert.property(answer.body, "data", endpoint.name);
      }
    }),
  );
});
