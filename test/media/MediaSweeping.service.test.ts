import { assert, layer } from "@effect/vitest";
import { Clock, Effect, Option } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { sweepOnce } from "../../src/media/MediaSweeping.ts";
import { MediaStore } from "../../src/media/store/MediaStore.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { message } from "../notifications/NotificationWorld.ts";
import { mediaWorld, upload } from "./MediaWorld.ts";

const isStored = (key: string) =>
  Effect.scoped(Effect.flatMap(MediaStore, (store) => Effect.map(store.read(key), Option.isSome)));

const put = (key: string) =>
  Effect.flatMap(MediaStore, (store) =>
    store.put(key, { content: new TextEncoder().encode("bytes"), mimeType: "image/webp" }),
  );

const garbage = (key: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT arriving, removals FROM media_garbage WHERE key = ${key}`,
  );

const keyOf = (url: string) => url.split("/").at(-1) ?? "";

// Without the role worker, whose job would sweep too.
layer(TestWaypost.layerWith({ roles: new Set(["api"]) }))("Media sweeping", (it) => {
  it.effect(
    "the sweeping removes a deleted file at once, and again 15 minutes later with a late thumbnail",
    () =>
      Effect.gen(function* () {
        const { file, sandbox } = yield* mediaWorld();
        const { id, url } = yield* file();
        const key = keyOf(url);
        assert.isTrue(yield* isStored(key));
        assert.strictEqual((yield* sandbox(`/media/${id}`, { method: "DELETE" })).status, 200);
        yield* sweepOnce;
        assert.isFalse(yield* isStored(key));
        yield* put(`${key}/thumbnail`);
        yield* TestClock.adjust("16 minutes");
        yield* sweepOnce;
        assert.isFalse(yield* isStored(`${key}/thumbnail`));
        assert.deepStrictEqual(yield* garbage(key), []);
      }),
  );

  it.effect("the sweeping removes the files of a deleted workspace", () =>
    Effect.gen(function* () {
      const { file, geo, sandbox, workspaceId } = yield* mediaWorld();
      const { id, url } = yield* file();
      const key = keyOf(url);
      const shown = yield* sandbox(yield* geo(), { body: message({ media_asset_id: id }) });
      assert.strictEqual(shown.status, 201);
      const sql = yield* SqlClient.SqlClient;
      yield* sql`DELETE FROM workspace WHERE id = ${workspaceId}`;
      yield* sweepOnce;
      assert.isFalse(yield* isStored(key));
    }),
  );

  it.effect("the sweeping removes the bytes of an upload that crashed before its row was inserted", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const sql = yield* SqlClient.SqlClient;
      // A crash leaves the recorded key and the stored bytes, but no row.
      const key = "crashed".padEnd(32, "0");
      yield* sql`INSERT INTO media_garbage (key, arriving, removals, due_at)
        VALUES (${key}, true, 1, to_timestamp(${(yield* Clock.currentTimeMillis) / 1000 + 900}))`;
      yield* put(key);
      yield* sweepOnce;
      assert.isTrue(yield* isStored(key), "the upload may still finish");
      yield* TestClock.adjust("15 minutes");
      yield* sweepOnce;
      assert.isFalse(yield* isStored(key));
      assert.deepStrictEqual(yield* garbage(key), []);
      assert.deepStrictEqual((yield* sandbox("/media")).body.data, []);
    }),
  );

  it.effect("an upload whose key has become garbage is 503 with Retry-After and adds no file (B3.3)", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* mediaWorld();
      const sql = yield* SqlClient.SqlClient;
      // Acts as another process that claims each key as soon as it is recorded.
      yield* sql`CREATE FUNCTION claim() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN NEW.arriving = false; RETURN NEW; END'`;
      yield* sql`CREATE TRIGGER claim BEFORE INSERT ON media_garbage FOR EACH ROW EXECUTE FUNCTION claim()`;
      const answer = yield* sandbox("/media", upload());
      yield* sql`DROP FUNCTION claim() CASCADE`;
      assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [503, "2"]);
      assert.strictEqual(answer.body.error.code, "service_unavailable");
      assert.strictEqual(answer.headers.get("retry-after"), "2");
      assert.deepStrictEqual((yield* sandbox("/media")).body.data, []);
    }),
  );
});
