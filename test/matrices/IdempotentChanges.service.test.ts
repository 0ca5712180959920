import { assert, describe, it, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { abilities } from "../../src/access/Ability.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { platformEndpoints } from "./Endpoints.ts";
import { describeAnswer, exampleOf, send } from "./Examples.ts";
import { makeMatrixFixture, makeMatrixFixtures, unlimitedWorkspace } from "./MatrixFixture.ts";
import { whileTimeMoves } from "./MovingTime.ts";
import { assertUnchanged, changedTables, growth, takeSnapshot } from "./Snapshot.ts";

const changes = platformEndpoints.filter(({ takesKey }) => takesKey);

const keyed = (key: string) => ({ headers: { "idempotency-key": key } });

describe("Idempotency-Key in the platform API", () => {
  it("every change accepts an Idempotency-Key, and no other endpoint does (J1, idempotency.0)", () => {
    assert.isAbove(changes.length, 10);
    // Questions with a body, which change nothing.
    const questions = ["POST /segments/count", "POST /campaigns/estimate", "POST /notifications/preview"];
    for (const { method, name, takesKey } of platformEndpoints) {
      assert.strictEqual(
        takesKey,
        method !== "GET" && !questions.includes(name),
        `${name}: .middleware(Idempotency) is missing or not allowed`,
      );
    }
  });
});

layer(TestWaypost.layer)("Every change of the platform API", (it) => {
  it.effect(
    "every change runs once under its key, and sequential and concurrent retries get its response " +
      "(J2, J3.2, idempotency.2, media.key)",
    () =>
      Effect.gen(function* () {
        const fixture = yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox");
        for (const endpoint of changes) {
          const request = yield* exampleOf(endpoint).request(fixture);
          const before = yield* takeSnapshot;
          const key = randomUUID();
          const first = yield* send(fixture, endpoint, request, keyed(key));
          const why = `${endpoint.name}: ${describeAnswer(first)}`;
          assert.isBelow(first.status, 300, why);
          assert.isNull(first.headers.get("idempotent-replayed"), why);
          const after = yield* takeSnapshot;
          assert.include(changedTables(before, after), "idempotent_response", why);

          const changed = { ...request, ...(request.body === undefined ? {} : { body: { other: true } }) };
          const repeated = request.body instanceof FormData ? request : changed;
          const again = yield* send(fixture, endpoint, repeated, keyed(key));
          assert.strictEqual(again.status, first.status, why);
          assert.strictEqual(again.headers.get("idempotent-replayed"), "true", why);
          assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"), why);
          assert.deepStrictEqual(again.body, first.body, why);
          yield* assertUnchanged(after, `a retry of ${endpoint.name}`);

          const nextRequest = yield* exampleOf(endpoint).request(fixture);
          const beforeDuplicates = yield* takeSnapshot;
          const duplicate = send(fixture, endpoint, nextRequest, keyed(randomUUID()));
          const answers = yield* whileTimeMoves(
            Effect.all(
              Array.from({ length: 6 }, () => duplicate),
              { concurrency: "unbounded" },
            ),
          );
          const [one] = answers;
          assert.strictEqual(one?.status, first.status, `${endpoint.name}: ${one && describeAnswer(one)}`);
          for (const each of answers) assert.deepStrictEqual(each.body, one?.body, endpoint.name);
          const executed = answers.filter(({ headers }) => headers.get("idempotent-replayed") === null);
          assert.strictEqual(executed.length, 1, endpoint.name);
          assert.deepStrictEqual(
            growth(beforeDuplicates, yield* takeSnapshot),
            growth(before, after),
            endpoint.name,
          );
        }
      }),
  );

  it.effect("every failed change stores nothing, so its key is free (J3.1, idempotency.4)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspace = yield* unlimitedWorkspace;
      const fixture = yield* makeMatrixFixture(workspace, "sandbox");
      for (const endpoint of changes) {
        const restricted = yield* waypost.token(
          workspace,
          "sandbox",
          abilities.filter((each) => each !== endpoint.needs),
        );
        const request = yield* exampleOf(endpoint).request(fixture);
        const before = yield* takeSnapshot;
        const key = randomUUID();
        const refusals = [
          yield* send(fixture, endpoint, request, { ...keyed(key), credential: null }),
          yield* send(fixture, endpoint, request, { ...keyed(key), credential: restricted.token }),
          ...(request.body === undefined || request.body instanceof FormData
            ? []
            : [
                yield* send(fixture, endpoint, { ...request, body: "{" }, keyed(key)),
                yield* send(fixture, endpoint, { ...request, body: { name: 7, features: 7 } }, keyed(key)),
              ]),
        ];
        for (const refused of refusals) {
          assert.include([401, 403, 422], refused.status, `${endpoint.name}: ${describeAnswer(refused)}`);
        }
        yield* assertUnchanged(before, `refusals of ${endpoint.name}`);
        const good = yield* send(fixture, endpoint, request, keyed(key));
        assert.isBelow(good.status, 300, `${endpoint.name}: ${describeAnswer(good)}`);
        assert.isNull(good.headers.get("idempotent-replayed"), endpoint.name);
      }
    }),
  );

  it.effect(
    "a key is bound to path, workspace and environment, and not to the query (J1.2, idempotency.5)",
    () =>
      Effect.gen(function* () {
        const { mine, otherEnvironment, otherWorkspace } = yield* makeMatrixFixtures;
        for (const endpoint of changes) {
          const key = randomUUID();
          const paths = new Set<string>();
          for (const fixture of [mine, otherEnvironment, otherWorkspace, mine]) {
            const request = yield* exampleOf(endpoint).request(fixture);
            const { environment, workspaceId } = fixture;
            const path = `${environment} ${workspaceId} ${JSON.stringify(request.params ?? {})}`;
            const answer = yield* send(fixture, endpoint, request, keyed(key));
            assert.isBelow(answer.status, 300, `${endpoint.name}: ${describeAnswer(answer)}`);
            const replayed = answer.headers.get("idempotent-replayed");
            assert.strictEqual(replayed, paths.has(path) ? "true" : null, endpoint.name);
            paths.add(path);
            const queried = { ...request, query: { ...request.query, unknown: "1" } };
            const retry = yield* send(fixture, endpoint, queried, keyed(key));
            assert.strictEqual(retry.headers.get("idempotent-replayed"), "true", endpoint.name);
          }
        }
      }),
  );

  it.effect("every change refuses a key that is not 1 to 255 visible ASCII characters (J1.1)", () =>
    Effect.gen(function* () {
      const fixture = yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox");
      const invalidKeys = ["", "two words", "tab\tbed", "k".repeat(256), "caf\u00e9", "one, two"];
      for (const endpoint of changes) {
        const request = yield* exampleOf(endpoint).request(fixture);
        const before = yield* takeSnapshot;
        for (const key of invalidKeys) {
          const answer = yield* send(fixture, endpoint, request, keyed(key));
          const why = `${endpoint.name} under ${JSON.stringify(key)}: ${describeAnswer(answer)}`;
          assert.strictEqual(answer.status, 422, why);
          assert.strictEqual(answer.body.error.code, "invalid_parameter", why);
          assert.deepStrictEqual(Object.keys(answer.body.error.fields), ["Idempotency-Key"], why);
        }
        yield* assertUnchanged(before, endpoint.name);
        const longKey = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".repeat(8).slice(0, 219) + randomUUID();
        const good = yield* send(fixture, endpoint, request, keyed(longKey));
        assert.isBelow(good.status, 300, `${endpoint.name}: ${describeAnswer(good)}`);
      }
    }),
  );
});
