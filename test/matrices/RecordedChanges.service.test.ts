import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestWaypost } from "../TestWaypost.ts";
import { type Endpoint, everyCall } from "./Endpoints.ts";
import { describeAnswer, exampleOf, send } from "./Examples.ts";
import { makeMatrixFixture, unlimitedWorkspace } from "./MatrixFixture.ts";

/** Requests that change no resource of a workspace: questions, messages, reported events, sessions. */
const changeNothing = new Set([
  "POST /console/addresses",
  "DELETE /console/sessions",
  "DELETE /console/sessions/:session",
  "POST /events",
  "POST /segments/count",
  "POST /campaigns/estimate",
  "POST /notifications/preview",
  "POST /campaigns/:campaign/notifications/:notification/test",
  "POST /webhooks/:webhook/test",
  "POST /webhooks/:webhook/events/:event/resend",
  "POST /workspaces/:workspace/:env/transports/:transport/test",
]);

const nameOf = ({ api, byOperator, name }: Endpoint): string =>
  `${api} ${name}${byOperator ? " by the operator" : ""}`;

/** A workspace is in the lists of both environments. */
const inBoth = new Set(["POST /workspaces", "PATCH /workspaces/:workspace"]);

layer(TestWaypost.layer)("Changes in the activity", (it) => {
  it.effect("every change by a token or the operator writes one entry, and no other request does (S5)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const fixture = yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox");
      const entries = Effect.map(
        sql<{ readonly entries: number }>`SELECT count(*)::int AS entries FROM activity`,
        ([row]) => row?.entries ?? 0,
      );
      const written: Record<string, number> = {};
      const expected: Record<string, number> = {};
      for (const endpoint of everyCall) {
        const request = yield* exampleOf(endpoint).request(fixture);
        const before = yield* entries;
        const answer = yield* send(fixture, endpoint, request);
        assert.isBelow(answer.status, 300, `${endpoint.name}: ${describeAnswer(answer)}`);
        const isChange =
          endpoint.api !== "device" && endpoint.method !== "GET" && !changeNothing.has(endpoint.name);
        expected[nameOf(endpoint)] = !isChange ? 0 : inBoth.has(endpoint.name) ? 2 : 1;
        written[nameOf(endpoint)] = (yield* entries) - before;
      }
      assert.deepStrictEqual(written, expected);
    }).pipe(Effect.orDie),
  );
});
