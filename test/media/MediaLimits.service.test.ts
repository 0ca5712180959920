import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { mediaWorld, upload } from "./MediaWorld.ts";

/**
 * Moves the test clock by a millisecond per event loop iteration, so that sockets and the database keep up.
 */
const movingTime = Effect.forever(
  Effect.andThen(
    TestClock.adjust("1 millis"),
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
  ),
);

const sized = (bytes: number) => upload({ content: "image".padEnd(bytes, ".") });

layer(TestWaypost.layer)("Media limits", (it) => {
  it.effect(
    "max_media_bytes limits the total of an environment, and deleting a file makes room (A2, H4.2)",
    () =>
      Effect.gen(function* () {
        const { production, sandbox } = yield* mediaWorld({ plan: { max_media_bytes: 100 } });
        const first = (yield* sandbox("/media", sized(60))).body.data.id;
        const over = yield* sandbox("/media", sized(41));
        assert.strictEqual(over.status, 403);
        const message =
          "The plan allows 100 bytes of media in Sandbox, and there are 60: " +
          "this file has 41. Delete files first.";
        assert.deepStrictEqual(over.body.error, {
          code: "limit_exceeded",
          message,
          fields: { max_media_bytes: [message] },
        });
        assert.strictEqual((yield* sandbox("/media", sized(40))).status, 201);
        assert.strictEqual((yield* production("/media", sized(100))).status, 201);
        yield* sandbox(`/media/${first}`, { method: "DELETE" });
        assert.strictEqual((yield* sandbox("/media", sized(60))).status, 201);
      }),
  );

  it.effect("a Sandbox holds at most 209,715,200 bytes of media (H4.2, limits.media, media.sandbox)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      for (const max_media_bytes of [null, 1_000_000_000_000]) {
        const { file, production, sandbox, workspaceId } = yield* mediaWorld({ plan: { max_media_bytes } });
        yield* file();
        // Pretends that the file is large: sending 200 MB would take long.
        yield* sql`UPDATE media_file SET size_bytes = 209715190 WHERE workspace_id = ${workspaceId}`;
        assert.strictEqual((yield* sandbox("/media", sized(10))).status, 201);
        const over = yield* sandbox("/media", sized(10));
        assert.deepStrictEqual(
          [over.status, Object.keys(over.body.error.fields)],
          [403, ["max_media_bytes"]],
        );
        assert.strictEqual((yield* production("/media", sized(20))).status, 201);
      }
    }),
  );

  it.effect("the total of media bytes stays exact under concurrent uploads (H4.2)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld({ plan: { max_media_bytes: 100 } });
      const answers = yield* Effect.all(
        Array.from({ length: 12 }, () => sandbox("/media", sized(30))),
        { concurrency: "unbounded" },
      );
      const withStatus = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
      assert.deepStrictEqual([withStatus(201), withStatus(403)], [3, 9]);
    }),
  );

  it.effect("an invalid upload is reported before the limits of the plan (B1)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld({ plan: { max_media_bytes: 0 } });
      assert.strictEqual((yield* sandbox("/media", upload({ content: "MZ" }))).status, 422);
      assert.strictEqual((yield* sandbox("/media", upload({ name: "n".repeat(256) }))).status, 422);
      assert.strictEqual((yield* sandbox("/media", upload())).status, 403);
    }),
  );

  it.effect("a retried upload with an idempotency key gets the first answer (J2, J3)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const first = yield* sandbox("/media", upload({ key: "one" }));
      const again = yield* sandbox("/media", upload({ key: "one", content: "audio" }));
      assert.deepStrictEqual([first.status, again.status], [201, 201]);
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true");
      assert.deepStrictEqual(again.body, first.body);
      assert.lengthOf((yield* sandbox("/media")).body.data, 1);
      const failed = yield* sandbox("/media", upload({ key: "two", content: "MZ" }));
      assert.strictEqual(failed.status, 422);
      assert.strictEqual((yield* sandbox("/media", upload({ key: "two" }))).status, 201);
    }),
  );

  it.effect("concurrent uploads with one idempotency key add one file and all get its answer (J3)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const uploading = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 8 }, () => sandbox("/media", upload({ key: "many" }))),
          { concurrency: "unbounded" },
        ),
      );
      // Concurrent duplicates retry by the clock, so it moves until all are answered.
      const moving = yield* Effect.forkChild(movingTime);
      const answers = yield* Fiber.join(uploading);
      yield* Fiber.interrupt(moving);
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.strictEqual(new Set(answers.map(({ body }) => body.data.id)).size, 1);
      assert.lengthOf((yield* sandbox("/media")).body.data, 1);
    }),
  );
});
