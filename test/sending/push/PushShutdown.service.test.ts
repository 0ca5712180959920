import { assert, it } from "@effect/vitest";
import { Effect, Exit, Fiber, Layer, Scope } from "effect";
import { SqlClient } from "effect/sql";
import { once } from "node:events";
import { connect } from "node:net";
import { testOperatorKey, TestWaypost } from "../../TestWaypost.ts";
import { moveTo } from "../sends/SendWorld.ts";
import { localServices } from "./LocalProviders.ts";
import { pushCrowd } from "./PushCrowd.ts";
import { pushing } from "./PushWorld.ts";
import { eventually } from "../../Eventually.ts";

/** A worker has at most so many pushes of a queue partition in flight. */
const inFlight = 512;

/** A request whose head has arrived and whose body has not. `end` sends the rest and awaits the response. */
const openRequest = (origin: string) =>
  Effect.promise(async () => {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    const closed = once(socket, "close");
    const head = [
      "POST /operator/v1/workspaces HTTP/1.1",
      "Host: waypost",
      `Authorization: Bearer ${testOperatorKey}`,
      "Content-Type: application/json",
      "Content-Length: 2",
      "Expect: 100-continue",
    ];
    socket.write([...head, "", ""].join("\r\n"));
    const [answer] = await once(socket, "data");
    assert.include(String(answer), "100 Continue");
    const end = () => {
      socket.on("data", () => undefined).end("{}");
      return closed;
    };
    return { end: Effect.promise(end) };
  });

it.effect(
  "after the signal no push is begun and those in flight are settled, with two queue partitions and a " +
    "request in flight (L5.2, running.stop)",
  () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make();
      const waypost = yield* Layer.buildWithScope(TestWaypost.layer, scope);
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const services = [yield* localServices.fcm, yield* localServices.fcm];
        const releases: Array<() => void> = [];
        for (const service of services) {
          yield* pushCrowd(service, inFlight + 100);
          releases.push(service.hold("accept"));
        }
        yield* moveTo("2026-11-21T12:30:00Z");
        yield* pushing;
        for (const service of services) yield* service.arrived(inFlight);
        const settled = Effect.map(
          Effect.orDie(sql<{ readonly count: number }>`
            SELECT count(*)::int AS count FROM delivery WHERE status = 'delivered'`),
          ([row]) => row?.count ?? 0,
        );
        const request = yield* openRequest((yield* TestWaypost).origin);

        const stop = yield* Effect.forkChild(Scope.close(scope, Exit.void));
        for (const [index, release] of releases.entries()) {
          release();
          yield* eventually(Effect.map(settled, (count) => count >= (index + 1) * inFlight));
        }
        yield* request.end;
        yield* Fiber.join(stop);
        assert.deepStrictEqual(
          services.map(({ ledger }) => ledger.length),
          [inFlight, inFlight],
        );
      }).pipe(Effect.provide(waypost));
    }).pipe(Effect.scoped),
);
