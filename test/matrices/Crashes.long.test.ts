import { assert, layer } from "@effect/vitest";
import { Context, Effect, Layer } from "effect";
import { randomUUID } from "node:crypto";
import { TestDatabase } from "../database/TestDatabase.ts";
import { type Answer, TestWaypost } from "../TestWaypost.ts";
import { type Cut, CutConnections } from "./CutConnections.ts";
import { platformEndpoints } from "./Endpoints.ts";
import type { ValidRequest } from "./Example.ts";
import { describeAnswer, exampleOf, send } from "./Examples.ts";
import { makeMatrixFixture, unlimitedWorkspace } from "./MatrixFixture.ts";
import { whileTimeMoves } from "./MovingTime.ts";
import { countRows, growth } from "./Snapshot.ts";

class Connections extends Context.Service<Connections, CutConnections>()("waypost/test/Connections") {
  static readonly layer = Layer.effect(Connections, CutConnections.make);
}

const overCutConnections = Layer.unwrap(
  Effect.map(Connections, ({ path }) => TestWaypost.layerWith({}, TestDatabase.layerThrough(path))),
).pipe(Layer.provideMerge(Connections.layer));

layer(overCutConnections)("A change whose database connection is cut", (it) => {
  it.effect(
    "a change cut off at any statement or COMMIT is made once by the retry under its key (J2.1)",
    () =>
      Effect.gen(function* () {
        const connections = yield* Connections;
        const fixture = yield* makeMatrixFixture(yield* unlimitedWorkspace, "sandbox");
        for (const endpoint of platformEndpoints.filter(({ takesKey }) => takesKey)) {
          const change = (request: ValidRequest, key: string) =>
            send(fixture, endpoint, request, { headers: { "idempotency-key": key } });

          const example = yield* exampleOf(endpoint).request(fixture);
          const before = yield* countRows;
          const uncut = yield* change(example, randomUUID());
          const expectedGrowth = growth(before, yield* countRows);

          /** Repeats the change with one connection cut. Returns false when no cut took place. */
          const assertSurvives = Effect.fnUntraced(function* (cut: Cut) {
            const request = yield* exampleOf(endpoint).request(fixture);
            const beforeCut = yield* countRows;
            const key = randomUUID();
            const { isDone } = connections.arm(cut);
            const first = yield* change(request, key);
            const wasCut = isDone();
            connections.disarm();
            const why = `${endpoint.name}, cut ${JSON.stringify(cut)}: ${describeAnswer(first)}`;
            assert.include([uncut.status, 503], first.status, why);
            if (cut.at === "before commit") {
              assert.isTrue(wasCut, why);
              assert.deepStrictEqual(growth(beforeCut, yield* countRows), {}, why);
            }
            let retry: Answer = first;
            // 409 until PostgreSQL notices that the first request's connection is closed.
            for (let i = 0; i < 20 && (i === 0 || retry.status === 503 || retry.status === 409); i++)
              retry = yield* whileTimeMoves(change(request, key));
            assert.strictEqual(retry.status, uncut.status, `${why}, then ${describeAnswer(retry)}`);
            assert.deepStrictEqual(growth(beforeCut, yield* countRows), expectedGrowth, why);
            const replayed = retry.headers.get("idempotent-replayed");
            if (cut.at === "after commit") assert.strictEqual(replayed, "true", why);
            if (cut.at === "before commit") assert.isNull(replayed, why);
            return wasCut;
          });

          yield* assertSurvives({ at: "before commit" });
          yield* assertSurvives({ at: "after commit" });
          let number = 1;
          while (yield* assertSurvives({ at: "statement", number })) number++;
          assert.isAbove(number, 4, endpoint.name);
        }
      }),
  );
});
