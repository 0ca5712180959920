import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import type { ServerResponse } from "node:http";
import { TestWaypost } from "../TestWaypost.ts";
import { answers, localServer } from "./LocalServer.ts";
import { message, notificationWorld } from "./NotificationWorld.ts";

const button = (port: number, path = "/", more: object = {}) =>
  message({ cta_label: "Look", cta_url: `http://127.0.0.1:${port}${path}`, ...more });
const key = (name: string) => ({ "idempotency-key": name });

/** A server that responds only after `release`. */
const slowServer = Effect.gen(function* () {
  const arrived = yield* Deferred.make<ServerResponse>();
  const server = yield* localServer((_request, response) =>
    Deferred.doneUnsafe(arrived, Effect.succeed(response)),
  );
  return { ...server, arrived: Deferred.await(arrived) };
});

layer(TestWaypost.layer)("A notification's button", (it) => {
  it.effect(
    "the address is checked on every save, also if it does not change (F1.7, notifications.cta_reached)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        let status = 200;
        const server = yield* localServer((_request, response) => response.writeHead(status).end());
        const made = yield* world.sandbox(path, { body: button(server.port) });
        assert.strictEqual(made.status, 201);
        assert.strictEqual(made.body.data.cta_url, `http://127.0.0.1:${server.port}/`);
        status = 410;
        const patch = world.sandbox(`${path}/${made.body.data.id}`, {
          method: "PATCH",
          body: button(server.port),
        });
        const refused = yield* patch;
        assert.strictEqual(refused.status, 422);
        assert.match(refused.body.error.fields.cta_url[0], /answered with status 410\.$/);
        status = 403;
        assert.strictEqual((yield* patch).status, 200);
      }),
  );

  it.effect("the address is checked even if other fields have problems, and reported with them (B4)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const server = yield* localServer(answers({}));
      const { body } = yield* world.sandbox(path, {
        body: button(server.port, "/gone", { name: "", headline: 7 }),
      });
      assert.deepStrictEqual(Object.keys(body.error.fields).sort(), ["cta_url", "headline", "name"]);
    }),
  );

  it.effect("the address is not checked for an unknown campaign or notification (B1.5)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const server = yield* localServer(answers({ "/": 200 }));
      const unknown = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
      for (const [at, method] of [
        [`/campaigns/${unknown}/notifications`, "POST"],
        [`${path}/${unknown}`, "PATCH"],
      ] as const) {
        for (const headers of [{}, key("gone")]) {
          assert.strictEqual(
            (yield* world.sandbox(at, { method, body: button(server.port), headers })).status,
            404,
          );
        }
      }
      assert.deepStrictEqual(server.asked, []);
    }),
  );

  it.effect("no transaction is open during the check, with and without an Idempotency-Key", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const sql = yield* SqlClient.SqlClient;
      const path = yield* world.geo();
      for (const headers of [{}, key("slow")]) {
        const server = yield* slowServer;
        const saving = yield* Effect.forkChild(world.sandbox(path, { body: button(server.port), headers }));
        const response = yield* server.arrived;
        const [open] = yield* Effect.orDie(sql<{ readonly count: number }>`
          SELECT count(*)::integer AS count FROM pg_stat_activity
          WHERE datname = current_database() AND state LIKE 'idle in transaction%'`);
        assert.strictEqual(open?.count, 0);
        // The environment is not locked for others either.
        assert.strictEqual((yield* world.sandbox(path, { body: message() })).status, 201);
        response.writeHead(200).end();
        assert.strictEqual((yield* Fiber.join(saving)).status, 201);
        assert.deepStrictEqual(server.asked, ["HEAD /"]);
      }
    }),
  );

  it.effect("with an Idempotency-Key a retry is a replay without a check (B1.4, J1, idempotency.2)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const server = yield* localServer(answers({ "/": 200 }));
      const save = world.sandbox(path, { body: button(server.port), headers: key("once") });
      const saving = yield* Effect.forkChild(
        Effect.all([save, save, save, save], { concurrency: "unbounded" }),
      );
      // Duplicates wait by the clock of the test. Another request lets the server work in the meantime.
      while (saving.pollUnsafe() === undefined) {
        yield* world.sandbox("/me");
        yield* TestClock.adjust("10 millis");
      }
      const first = yield* Fiber.join(saving);
      const ids = new Set(first.map(({ body }) => body.data.id));
      assert.strictEqual(ids.size, 1);
      assert.lengthOf(
        first.filter(({ headers }) => headers.get("idempotent-replayed") === null),
        1,
      );
      const asked = server.asked.length;
      const again = yield* save;
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true");
      assert.lengthOf(server.asked, asked);
      assert.deepStrictEqual(yield* world.notifications, [...ids]);
    }),
  );

  it.effect(
    "a failed check stores nothing under the key, so the same key works after a correction " +
      "(J3, idempotency.4)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        const server = yield* localServer(answers({ "/good": 200 }));
        const save = (at: string) =>
          world.sandbox(path, { body: button(server.port, at), headers: key("again") });
        assert.strictEqual((yield* save("/bad")).status, 422);
        const good = yield* save("/good");
        assert.strictEqual(good.status, 201);
        assert.isNull(good.headers.get("idempotent-replayed"));
      }),
  );

  it.effect("a campaign that is deleted while its button is checked is 404, and nothing is stored", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      for (const headers of [{}, key("deleted")]) {
        const path = yield* world.geo();
        const server = yield* slowServer;
        const saving = yield* Effect.forkChild(world.sandbox(path, { body: button(server.port), headers }));
        const response = yield* server.arrived;
        const deleted = yield* world.sandbox(path.replace("/notifications", ""), { method: "DELETE" });
        assert.strictEqual(deleted.status, 200);
        response.writeHead(200).end();
        assert.strictEqual((yield* Fiber.join(saving)).status, 404);
        assert.deepStrictEqual(yield* world.notifications, []);
      }
    }),
  );
});

layer(TestWaypost.layerWith({ allowPrivateAddresses: false }))(
  "A notification's button in the open",
  (it) => {
    it.effect("a button may not lead to a private address, which is not requested (F1.1)", () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo();
        const server = yield* localServer(answers({ "/": 200 }));
        for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"]) {
          const refused = yield* world.sandbox(path, {
            body: message({ cta_label: "Look", cta_url: `http://${host}:${server.port}/` }),
          });
          assert.strictEqual(refused.status, 422);
          assert.match(refused.body.error.fields.cta_url[0], /must lead to the public internet/, host);
        }
        assert.deepStrictEqual(server.asked, []);
        const deep = yield* world.sandbox(path, {
          body: message({ cta_label: "Look", cta_url: "shop://offers/1" }),
        });
        assert.strictEqual(deep.status, 201);
      }),
    );
  },
);
