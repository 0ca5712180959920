import { assert, describe, it, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { abilities } from "../../src/access/Ability.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { platformEndpoints } from "./Endpoints.ts";
import { exampleOf, send, told } from "./Examples.ts";
import { makeGround, makeGrounds, roomyWorkspace } from "./Ground.ts";
import { whileTimeMoves } from "./MovingTime.ts";
import { assertUnchanged, changedTables, growth, takeSnapshot } from "./Snapshot.ts";

const changes = platformEndpoints.filter(({ takesKey }) => takesKey);

const keyed = (key: string) => ({ headers: { "idempotency-key": key } });

describe("Idempotency-Key in the platform API", () => {
  it("every change accepts an Idempotency-Key, and no other endpoint does (J1, idempotency.0)", () => {
    assert.isAbove(changes.length, 10);
    for (const { method, name, takesKey } of platformEndpoints) {
      assert.strictEqual(
        takesKey,
        method !== "GET",
        `${name}: .middleware(Idempotency) is missing or too much`,
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
        const ground = yield* makeGround(yield* roomyWorkspace, "sandbox");
        for (const endpoint of changes) {
          const request = yield* exampleOf(endpoint).request(ground);
          const before = yield* takeSnapshot;
          const key = randomUUID();
          const first = yield* send(ground, endpoint, request, keyed(key));
          const why = `${endpoint.name}: ${told(first)}`;
          assert.isBelow(first.status, 300, why);
          assert.isNull(first.headers.get("idempotent-replayed"), why);
          const after = yield* takeSnapshot;
          assert.include(changedTables(before, after), "idempotent_response", why);

          const second = { ...request, ...(request.body === undefined ? {} : { body: { other: true } }) };
          const same = request.body instanceof FormData ? request : second;
          const again = yield* send(ground, endpoint, same, keyed(key));
          assert.strictEqual(again.status, first.status, why);
          assert.strictEqual(again.headers.get("idempotent-replayed"), "true", why);
          assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"), why);
          assert.deepStrictEqual(again.body, first.body, why);
          yield* assertUnchanged(after, `a retry of ${endpoint.name}`);

          const request2 = yield* exampleOf(endpoint).request(ground);
          const ready = yield* takeSnapshot;
          const twin = send(ground, endpoint, request2, keyed(randomUUID()));
          const twins = yield* whileTimeMoves(
            Effect.all(
              Array.from({ length: 6 }, () => twin),
              { concurrency: "unbounded" },
            ),
          );
          const [one] = twins;
          assert.strictEqual(one?.status, first.status, `${endpoint.name}: ${one && told(one)}`);
          for (const each of twins) assert.deepStrictEqual(each.body, one?.body, endpoint.name);
          const fresh = twins.filter(({ headers }) => headers.get("idempotent-replayed") === null);
          assert.strictEqual(fresh.length, 1, endpoint.name);
          assert.deepStrictEqual(growth(ready, yield* takeSnapshot), growth(before, after), endpoint.name);
        }
      }),
  );

  it.effect("every failed change stores nothing, so its key is free (J3.1, idempotency.4)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const workspace = yield* roomyWorkspace;
      const ground = yield* makeGround(workspace, "sandbox");
      for (const endpoint of changes) {
        const less = yield* waypost.token(
          workspace,
          "sandbox",
          abilities.filter((each) => each !== endpoint.needs),
        );
        const request = yield* exampleOf(endpoint).request(ground);
        const before = yield* takeSnapshot;
        const key = randomUUID();
        const refusals = [
          yield* send(ground, endpoint, request, { ...keyed(key), credential: null }),
          yield* send(ground, endpoint, request, { ...keyed(key), credential: less.token }),
          ...(request.body === undefined || request.body instanceof FormData
            ? []
            : [
                yield* send(ground, endpoint, { ...request, body: "{" }, keyed(key)),
                yield* send(ground, endpoint, { ...request, body: { name: 7, features: 7 } }, keyed(key)),
              ]),
        ];
        for (const refused of refusals) {
          assert.include([401, 403, 422], refused.status, `${endpoint.name}: ${told(refused)}`);
        }
        yield* assertUnchanged(before, `refusals of ${endpoint.name}`);
        const good = yield* send(ground, endpoint, request, keyed(key));
        assert.isBelow(good.status, 300, `${endpoint.name}: ${told(good)}`);
        assert.isNull(good.headers.get("idempotent-replayed"), endpoint.name);
      }
    }),
  );

  it.effect(
    "a key is bound to path, workspace and environment, and not to the query (J1.2, idempotency.5)",
    () =>
      Effect.gen(function* () {
        const grounds = yield* makeGrounds;
        for (const endpoint of changes) {
          const key = randomUUID();
          const { mine, otherEnvironment, otherWorkspace } = grounds;
          const paths = new Set<string>();
          for (const ground of [mine, otherEnvironment, otherWorkspace, mine]) {
            const request = yield* exampleOf(endpoint).request(ground);
            const path = `${ground.environment} ${ground.workspaceId} ${JSON.stringify(request.params ?? {})}`;
            const answer = yield* send(ground, endpoint, request, keyed(key));
            assert.isBelow(answer.status, 300, `${endpoint.name}: ${told(answer)}`);
            const replayed = answer.headers.get("idempotent-replayed");
            assert.strictEqual(replayed, paths.has(path) ? "true" : null, endpoint.name);
            paths.add(path);
            const queried = { ...request, query: { ...request.query, unknown: "1" } };
            const retry = yield* send(ground, endpoint, queried, keyed(key));
            assert.strictEqual(retry.headers.get("idempotent-replayed"), "true", endpoint.name);
          }
        }
      }),
  );

  it.effect("every change refuses a key that is not 1 to 255 visible ASCII characters (J1.1)", () =>
    Effect.gen(function* () {
      const ground = yield* makeGround(yield* roomyWorkspace, "sandbox");
      const bad = ["", "two words", "tab\tbed", "k".repeat(256), "caf\u00e9", "one, two"];
      for (const endpoint of changes) {
        const request = yield* exampleOf(endpoint).request(ground);
        const before = yield* takeSnapshot;
        for (const key of bad) {
          const answer = yield* send(ground, endpoint, request, keyed(key));
          const why = `${endpoint.name} under ${JSON.stringify(key)}: ${told(answer)}`;
          assert.strictEqual(answer.status, 422, why);
          assert.strictEqual(answer.body.error.code, "invalid_parameter", why);
          assert.deepStrictEqual(Object.keys(answer.body.error.fields), ["Idempotency-Key"], why);
        }
        yield* assertUnchanged(before, endpoint.name);
        const longest = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".repeat(8).slice(0, 219) + randomUUID();
        const good = yield* send(ground, endpoint, request, keyed(longest));
        assert.isBelow(good.status, 300, `${endpoint.name}: ${told(good)}`);
      }
    }),
  );
});
