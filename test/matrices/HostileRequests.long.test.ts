import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { documentNames } from "../../src/ApiDocuments.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { everyEndpoint } from "./Endpoints.ts";
import type { ValidRequest } from "./Example.ts";
import { exampleOf } from "./Examples.ts";
import { hostileRequest } from "./HostileRequests.ts";
import { Dice } from "../sending/Dice.ts";
import { askHostile, describeRequest, hostileSeed, walkHostileRequests } from "./HostileWalk.ts";
import { makeMatrixFixture, unlimitedWorkspace } from "./MatrixFixture.ts";
import { assertUnchanged, type Snapshot, takeSnapshot } from "./Snapshot.ts";

/** The number of requests to each interface. */
const counts = { platform: 5000, device: 1500, operator: 1500 };

layer(TestWaypost.layer)("Hostile requests", (it) => {
  it.effect("refused hostile requests change nothing (B1, errors.hostile)", () =>
    Effect.gen(function* () {
      const newFixture = Effect.flatMap(unlimitedWorkspace, (workspace) =>
        makeMatrixFixture(workspace, "sandbox"),
      );
      let fixture = yield* newFixture;
      const random = new Dice(hostileSeed + 1);
      let refused = 0;
      for (const endpoint of everyEndpoint.filter(({ method }) => method !== "GET")) {
        let target: { readonly valid: ValidRequest; readonly before: Snapshot } | null = null;
        for (let i = 0; i < 6; i++) {
          // A refused request leaves its target as it was, for the next one.
          target ??= { valid: yield* exampleOf(endpoint).request(fixture), before: yield* takeSnapshot };
          const request = hostileRequest(random, endpoint, target.valid);
          const { status, text } = yield* askHostile(fixture, endpoint, target.valid, request);
          if (status < 400) {
            target = null;
            // An accepted change of the workspace can end its keys or its plan.
            if (endpoint.name === "PATCH /workspaces/:workspace") fixture = yield* newFixture;
            continue;
          }
          refused++;
          yield* assertUnchanged(target.before, `${describeRequest(request)}\n  ${status} ${text}`);
        }
      }
      assert.isAbove(refused, 60);
    }),
  );

  for (const name of documentNames) {
    it.effect(
      `hostile requests to the ${name} interface get a well-formed error or succeed, never 5xx ` +
        "(B3, B4, B6, errors.hostile)",
      () => walkHostileRequests(name, counts[name]),
    );
  }
});
