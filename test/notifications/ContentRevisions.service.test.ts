import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { message, notificationWorld, survey } from "./NotificationWorld.ts";

const revisionsOf = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(sql`SELECT key FROM content WHERE notification_id = ${id}`),
  );

layer(TestWaypost.layer)("Revisions of content", (it) => {
  it.effect("PATCH stores a new revision only if the content differs, and dates only real changes", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const question = {
        question_text: "Why?",
        type: "SINGLE_CHOICE",
        choices: [{ text: "A" }, { text: "B" }],
      };
      const { data } = (yield* world.sandbox(path, { body: survey([question]) })).body;
      const revisions = Effect.map(revisionsOf(data.id), (rows) => rows.length);
      const patch = (more: object) =>
        Effect.gen(function* () {
          yield* TestClock.adjust("1 minute");
          const answer = yield* world.sandbox(`${path}/${data.id}`, {
            method: "PATCH",
            body: survey([question], more),
          });
          assert.strictEqual(answer.status, 200);
          return answer.body.data.updated_at;
        });
      assert.strictEqual(yield* patch({}), data.updated_at);
      assert.strictEqual(yield* revisions, 1);
      assert.strictEqual(yield* patch({ name: "Other" }), "2026-11-21T12:02:00+00:00");
      assert.strictEqual(
        yield* patch({ name: "Other", trigger_type: "on_exit" }),
        "2026-11-21T12:03:00+00:00",
      );
      assert.strictEqual(yield* revisions, 1);
      assert.strictEqual(yield* patch({ body: "New" }), "2026-11-21T12:04:00+00:00");
      assert.strictEqual(yield* revisions, 2);
      assert.strictEqual(
        yield* patch({ body: "New", questions: [{ ...question, required: true }] }),
        "2026-11-21T12:05:00+00:00",
      );
      assert.strictEqual(yield* revisions, 3);
    }),
  );

  it.effect("the content of a deleted notification is kept for its deliveries (E10.2)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const [one, other] = [yield* world.geo(), yield* world.geo()];
      const detached = (yield* world.sandbox(one, { body: message() })).body.data.id;
      const deleted = (yield* world.sandbox(other, { body: message() })).body.data.id;
      yield* world.sandbox(`${one}/${detached}`, { method: "DELETE" });
      yield* world.sandbox(other.slice(0, other.lastIndexOf("/")), { method: "DELETE" });
      assert.deepStrictEqual(yield* world.notifications, []);
      for (const id of [detached, deleted]) assert.lengthOf(yield* revisionsOf(id), 1);
    }),
  );
});
