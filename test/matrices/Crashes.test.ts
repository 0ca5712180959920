import { assert, layer } from "@effect/vitest";
import { Context, Effect, Layer } from "effect";
import { randomUUID } from "node:crypto";
import { TestDatabase } from "../database/TestDatabase.ts";
import { type Answer, TestWaypost } from "../TestWaypost.ts";
import { type Cut, CutConnections } from "./CutConnections.ts";
import { platformEndpoints } from "./Endpoints.ts";
import type { GoodRequest } from "./Example.ts";
import { exampleOf, send, told } from "./Examples.ts";
import { makeGround, roomyWorkspace } from "./Ground.ts";
import { whileTimeMoves } from "./MovingTime.ts";
import { growth, takeSnapshot } from "./Snapshot.ts";

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
        const ground = yield* makeGround(yield* roomyWorkspace, "sandbox");
        for (const endpoint of platformEndpoints.filter(({ takesKey }) => takesKey)) {
          const change = (request: GoodRequest, key: string) =>
            send(ground, endpoint, request, { headers: { "idempotency-key": key } });

          const example = yield* exampleOf(endpoint).request(ground);
          const before = yield* takeSnapshot;
          const uncut = yield* change(example, randomUUID());
          const whole = growth(before, yield* takeSnapshot);

          /** Makes the change anew with one connection cut, and tells whether it came to that. */
          const survive = Effect.fnUntraced(function* (cut: Cut) {
            const request = yield* exampleOf(endpoint).request(ground);
            const ready = yield* takeSnapshot;
            const key = randomUUID();
            const { isDone } = connections.arm(cut);
            const first = yield* change(request, key);
            const wasCut = isDone();
            connections.disarm();
            const why = `${endpoint.name}, cut ${JSON.stringify(cut)}: ${told(first)}`;
            assert.include([uncut.status, 503], first.status, why);
            if (cut.at === "before commit") {
              assert.isTrue(wasCut, why);
              assert.deepStrictEqual(growth(ready, yield* takeSnapshot), {}, why);
            }
            let retry: Answer = first;
            // 409 as long as PostgreSQL has not noticed that the first one's connection is gone.
            for (let i = 0; i < 20 && (i === 0 || retry.status === 503 || retry.status === 409); i++)
              retry = yield* whileTimeMoves(change(request, key));
            assert.strictEqual(retry.status, uncut.status, `${why}, then ${told(retry)}`);
            assert.deepStrictEqual(growth(ready, yield* takeSnapshot), whole, why);
            const replayed = retry.headers.get("idempotent-replayed");
            if (cut.at === "after commit") assert.strictEqual(replayed, "true", why);
            if (cut.at === "before commit") assert.isNull(replayed, why);
            return wasCut;
          });

          yield* survive({ at: "before commit" });
          yield* survive({ at: "after commit" });
          let number = 1;
          while (yield* survive({ at: "statement", number })) number++;
          assert.isAbove(number, 4, endpoint.name);
        }
      }),
  );
});
