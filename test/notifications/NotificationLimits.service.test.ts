import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { message, notificationWorld } from "./NotificationWorld.ts";

layer(TestWaypost.layer)("Limits of the plan on notifications", (it) => {
  it.effect(
    "max_notifications_per_campaign counts what is on the campaign, including shared content " +
      "(F8.2, errors.limit_exceeded, limits.notifications)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld({ plan: { max_notifications_per_campaign: 2 } });
        const [path, other] = [yield* world.geo(), yield* world.geo()];
        const first = (yield* world.sandbox(path, { body: message() })).body.data.id;
        const shared = (yield* world.sandbox(other, { body: message() })).body.data.id;
        yield* world.onto(path.split("/")[2] ?? "", shared);
        const refused = yield* world.sandbox(path, { body: message() });
        assert.strictEqual(refused.status, 403);
        assert.strictEqual(refused.body.error.code, "limit_exceeded");
        assert.deepStrictEqual(refused.body.error.fields, {
          max_notifications_per_campaign: [
            "The plan allows 2 notifications on a campaign, and this one has 2: take one off first.",
          ],
        });
        assert.strictEqual((yield* world.sandbox(other, { body: message() })).status, 201);
        yield* world.sandbox(`${path}/${first}`, { method: "DELETE" });
        assert.strictEqual((yield* world.sandbox(path, { body: message() })).status, 201);
      }),
  );

  it.effect(
    "max_notifications counts each content of one environment once " +
      "(A2, F8.1, errors.limit_exceeded, limits.notifications)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld({ plan: { max_notifications: 2 } });
        const [path, other] = [yield* world.geo(), yield* world.geo()];
        const { id } = (yield* world.sandbox(path, { body: message() })).body.data;
        yield* world.onto(other.split("/")[2] ?? "", id);
        assert.strictEqual((yield* world.sandbox(other, { body: message() })).status, 201);
        const refused = yield* world.sandbox(path, { body: message() });
        assert.deepStrictEqual(refused.body.error.fields, {
          max_notifications: [
            "The plan allows 2 notifications in Sandbox, and there are 2: delete one first.",
          ],
        });
        const changed = yield* world.sandbox(`${path}/${id}`, {
          method: "PATCH",
          body: message({ name: "Other" }),
        });
        assert.strictEqual(changed.status, 200);
      }),
  );

  it.effect("both limits are reported together (B4, F8.1, F8.2, errors.limit_exceeded)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld({
        plan: { max_notifications: 1, max_notifications_per_campaign: 1 },
      });
      const path = yield* world.geo();
      assert.strictEqual((yield* world.sandbox(path, { body: message() })).status, 201);
      const { body, status } = yield* world.sandbox(path, { body: message() });
      assert.deepStrictEqual([status, body.error.code], [403, "limit_exceeded"]);
      assert.deepStrictEqual(body.error.fields, {
        max_notifications: ["The plan allows 1 notification in Sandbox, and there are 1: delete one first."],
        max_notifications_per_campaign: [
          "The plan allows 1 notification on a campaign, and this one has 1: take one off first.",
        ],
      });
    }),
  );

  it.effect("problems of the body are reported before the limits of the plan (B1.6)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld({ plan: { max_notifications: 0 } });
      const path = yield* world.geo();
      assert.strictEqual((yield* world.sandbox(path, { body: message({ name: "" }) })).status, 422);
      assert.strictEqual((yield* world.sandbox(path, { body: message() })).status, 403);
    }),
  );

  it.effect("the limits are exact under concurrency (F8)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld({
        plan: { max_notifications: 7, max_notifications_per_campaign: 5 },
      });
      const paths = [yield* world.geo(), yield* world.geo()];
      const answers = yield* Effect.all(
        Array.from({ length: 16 }, (_, at) => world.sandbox(paths[at % 2] ?? "", { body: message() })),
        { concurrency: "unbounded" },
      );
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        7,
      );
      assert.lengthOf(yield* world.notifications, 7);
      for (const path of paths) assert.isAtMost((yield* world.sandbox(path)).body.data.length, 5);
    }),
  );
});
