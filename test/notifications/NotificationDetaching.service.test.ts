import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { message, notificationWorld } from "./NotificationWorld.ts";

layer(TestWaypost.layer)("Taking a notification off a campaign", (it) => {
  it.effect(
    "DELETE detaches a notification, and deletes its content once it is on no other campaign " +
      "(A4.1, notifications.delete)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const [here, there] = [yield* world.geo(), yield* world.geo()];
        const { id } = (yield* world.sandbox(here, { body: message() })).body.data;
        yield* world.onto(there.split("/")[2] ?? "", id);
        const remove = (path: string) => world.sandbox(`${path}/${id}`, { method: "DELETE" });
        const first = yield* remove(here);
        assert.strictEqual(first.status, 200);
        assert.deepStrictEqual(first.body, { data: { id, deleted: true } });
        assert.strictEqual((yield* remove(here)).status, 404);
        assert.strictEqual((yield* world.sandbox(`${there}/${id}`)).status, 200);
        assert.deepStrictEqual(yield* world.notifications, [id]);
        assert.strictEqual((yield* remove(there)).status, 200);
        assert.deepStrictEqual(yield* world.notifications, []);
      }),
  );

  it.effect(
    "concurrent requests that detach it from its last two campaigns leave no content (notifications.delete)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const [here, there] = [yield* world.geo(), yield* world.geo()];
        const ids: Array<string> = [];
        for (let i = 0; i < 20; i++) {
          const { id } = (yield* world.sandbox(here, { body: message() })).body.data;
          yield* world.onto(there.split("/")[2] ?? "", id);
          ids.push(id);
        }
        yield* Effect.all(
          ids.flatMap((id) =>
            [here, there].map((path) => world.sandbox(`${path}/${id}`, { method: "DELETE" })),
          ),
          { concurrency: "unbounded" },
        );
        assert.deepStrictEqual(yield* world.notifications, []);
      }),
  );
});
