import { assert, layer } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { createTrigger, lockDevice } from "../database/OnCitus.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";

const together = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" });

layer(TestWaypost.layer)("Batches of registrations", (it) => {
  it.effect(
    "concurrent registrations number their devices from 1 without gaps, and each gets its own token " +
      "(device.register)",
    () =>
      Effect.gen(function* () {
        const { production, waypost } = yield* givenWorkspace();
        const sql = yield* SqlClient.SqlClient;
        const names = Array.from({ length: 100 }, (_, index) => `phone-${index}`);
        const answers = yield* together(
          names.map((name, index) =>
            production.register(name, {
              platform: "ios",
              attributes: { index },
              user_id: `user-${index % 7}`,
            }),
          ),
        );
        for (const [index, { body, status }] of answers.entries()) {
          assert.strictEqual(status, 201, JSON.stringify(body));
          assert.strictEqual(body.data.installation_id, names[index]);
          assert.deepStrictEqual(body.data.attributes, { index });
          assert.strictEqual(body.data.user_id, `user-${index % 7}`);
        }
        const keys = yield* sql<{ readonly key: number }>`
          SELECT key FROM device WHERE workspace_id = ${production.workspaceId} ORDER BY key`;
        assert.deepStrictEqual(
          keys.map(({ key }) => key),
          names.map((_, index) => index + 1),
        );
        const me = yield* together(
          answers.map(({ body }) => waypost.device(body.data.device_token)("/messages")),
        );
        assert.isTrue(me.every(({ status }) => status === 200));
      }),
  );

  it.effect(
    "new, known, refused and unregistered installations of one batch get the answers that they get alone " +
      "(device.again, device.in_use, device.replace)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* givenWorkspace();
        const used = yield* sandbox.device("used");
        yield* used.ask("/messages");
        const left = yield* sandbox.device("left");
        yield* left.ask("/devices/me", { method: "DELETE" });
        const unused = (yield* sandbox.register("unused")).body.data;
        // The first registration runs by itself, and the others are its next batch.
        const [, ...answers] = yield* together([
          sandbox.register("other"),
          sandbox.register("new"),
          sandbox.register("used", { platform: "ios" }),
          sandbox.register("used", { platform: "web" }, used.token),
          sandbox.register("left"),
          sandbox.register("unused", { platform: "ios", subscribed: false }),
        ]);
        assert.deepStrictEqual(
          answers.map(({ body, status }) => [status, body.error?.code ?? body.data.id]),
          [
            [201, answers[0]?.body.data.id],
            [403, "device_token_required"],
            [200, used.id],
            [201, left.id],
            [200, unused.id],
          ],
        );
        assert.notProperty(answers[2]?.body.data, "device_token");
        assert.strictEqual(answers[2]?.body.data.platform, "web");
        assert.notStrictEqual(answers[4]?.body.data.device_token, unused.device_token);
        assert.isFalse(answers[4]?.body.data.subscribed);
      }),
  );

  it.effect(
    "a registration whose device another transaction holds delays no other of its environment (device.again)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* givenWorkspace();
        const sql = yield* SqlClient.SqlClient;
        const held = (yield* sandbox.register("held")).body.data;
        const locked = yield* Deferred.make<void>();
        const release = yield* Deferred.make<void>();
        const holder = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* lockDevice(held.id);
              yield* Deferred.succeed(locked, undefined);
              yield* Deferred.await(release);
            }),
          ),
        );
        yield* Deferred.await(locked);
        const waiting = yield* Effect.forkChild(sandbox.register("held", { platform: "ios" }));
        const others = yield* together(["a", "b", "c"].map((name) => sandbox.register(name)));
        assert.deepStrictEqual(
          others.map(({ status }) => status),
          [201, 201, 201],
        );
        assert.isUndefined(waiting.pollUnsafe());
        yield* Deferred.succeed(release, undefined);
        yield* Fiber.join(holder);
        const again = yield* Fiber.join(waiting);
        assert.deepStrictEqual([again.status, again.body.data.id], [200, held.id]);
      }),
  );

  it.effect("a registration that the database refuses fails no other of its batch (device.register)", () =>
    Effect.gen(function* () {
      const { production } = yield* givenWorkspace();
      const sql = yield* SqlClient.SqlClient;
      yield* sql`
        CREATE FUNCTION refuse_installation() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'refused by a test';
        END $$`;
      yield* createTrigger(
        "refuse_installation BEFORE INSERT ON device FOR EACH ROW " +
          "WHEN (NEW.installation_id = 'refused') EXECUTE FUNCTION refuse_installation()",
      );
      const answers = yield* together(
        ["first", "second", "refused", "third"].map((name) => production.register(name)),
      );
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [201, 201, 500, 201],
      );
    }),
  );
});
