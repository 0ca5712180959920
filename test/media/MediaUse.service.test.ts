import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { message, survey } from "../notifications/NotificationWorld.ts";
import { mediaWorld, upload } from "./MediaWorld.ts";

const unknownId = "01980a6c-5a20-7b3c-8d11-2e4f6a8c0b91";

layer(TestWaypost.layer)("Media files on notifications", (it) => {
  it.effect(
    "a notification shows its file until an update drops it (notifications.media, notifications.shown_media)",
    () =>
      Effect.gen(function* () {
        const world = yield* mediaWorld();
        const path = yield* world.geo();
        const file = yield* world.file({ content: "audio of a cup" });
        const made = (yield* world.sandbox(path, {
          body: message({ media_asset_id: file.id.toUpperCase() }),
        })).body.data;
        assert.strictEqual(made.media_asset_id, file.id);
        assert.deepStrictEqual(made.media, { id: file.id, url: file.url, type: "audio" });
        assert.deepStrictEqual((yield* world.sandbox(`${path}/${made.id}`)).body.data, made);
        assert.deepStrictEqual((yield* world.sandbox(path)).body.data, [made]);
        const cleared = yield* world.sandbox(`${path}/${made.id}`, { method: "PATCH", body: message() });
        assert.isNull(cleared.body.data.media);
        assert.isNull(cleared.body.data.media_asset_id);
      }),
  );

  it.effect("a file names the notifications that show it (S7.1)", () =>
    Effect.gen(function* () {
      const world = yield* mediaWorld();
      const path = yield* world.geo();
      const file = yield* world.file();
      const shown = () =>
        Effect.map(world.sandbox(`/media/${file.id}`), ({ body }) => body.data.notifications);
      assert.deepStrictEqual(yield* shown(), []);
      const [first, second] = [
        (yield* world.sandbox(path, { body: message({ media_asset_id: file.id }) })).body.data,
        (yield* world.sandbox(path, { body: message({ media_asset_id: file.id }) })).body.data,
      ];
      const named = [first, second].map(({ id, name }) => ({ id, name }));
      assert.deepStrictEqual(yield* shown(), named);
      yield* world.sandbox(`${path}/${first.id}`, { method: "PATCH", body: message() });
      assert.deepStrictEqual(yield* shown(), named.slice(1));
    }),
  );

  it.effect("a file of another workspace or environment is unknown everywhere (A2)", () =>
    Effect.gen(function* () {
      const world = yield* mediaWorld();
      const other = yield* mediaWorld();
      const path = yield* world.geo();
      const production = (yield* world.production("/media", upload())).body.data;
      const foreign = yield* other.file();
      for (const { id } of [production, foreign, { id: unknownId }, { id: "cup.png" }]) {
        const refused = yield* world.sandbox(path, { body: message({ media_asset_id: id }) });
        assert.strictEqual(refused.status, 422);
        assert.deepStrictEqual(refused.body.error.fields, {
          media_asset_id: [
            "The media file must be one of this workspace and environment: " +
              "there is no media file with this id.",
          ],
        });
        for (const method of ["GET", "DELETE"]) {
          const hidden = yield* world.sandbox(`/media/${id}`, { method });
          assert.deepStrictEqual([hidden.status, hidden.body.error.code], [404, "not_found"]);
        }
      }
      assert.deepStrictEqual((yield* world.sandbox("/media")).body.data, []);
      assert.strictEqual((yield* other.sandbox(`/media/${foreign.id}`)).status, 200);
      assert.strictEqual((yield* world.production(`/media/${production.id}`)).status, 200);
    }),
  );

  it.effect(
    "a file of a forbidden kind is 422 (F2, F5.2, notifications.media, notifications.media_plan)",
    () =>
      Effect.gen(function* () {
        const world = yield* mediaWorld();
        const path = yield* world.geo();
        const video = yield* world.file({ content: "video" });
        const image = yield* world.file();
        const questions = [{ question_text: "How was it?", type: "RATING" }];
        const onSurvey = yield* world.sandbox(path, {
          body: survey(questions, { media_asset_id: image.id }),
        });
        assert.deepStrictEqual(onSurvey.body.error.fields, {
          media_asset_id: ["A survey has no media file: leave it out."],
        });
        const operator = (yield* TestWaypost).operator;
        yield* operator(`/workspaces/${world.workspace.id}`, {
          method: "PATCH",
          body: { plan: { media_kinds: ["image"] } },
        });
        const lacking = yield* world.sandbox(path, {
          body: message({ media_asset_id: video.id, headline: "" }),
        });
        assert.deepStrictEqual(Object.keys(lacking.body.error.fields).toSorted(), [
          "headline",
          "media_asset_id",
        ]);
        assert.include(lacking.body.error.fields.media_asset_id[0], "does not include video");
        assert.strictEqual(
          (yield* world.sandbox(path, { body: message({ media_asset_id: image.id }) })).status,
          201,
        );
      }),
  );

  it.effect(
    "deleting a file that notifications show is 409 (H3, errors.media_in_use, media.delete, media.in_use)",
    () =>
      Effect.gen(function* () {
        const world = yield* mediaWorld();
        const path = yield* world.geo();
        const { id, url } = yield* world.file();
        const put = () =>
          Effect.map(
            world.sandbox(path, { body: message({ media_asset_id: id }) }),
            (answer): string => answer.body.data.id,
          );
        const [one, two] = [yield* put(), yield* put()];
        const remove = world.sandbox(`/media/${id}`, { method: "DELETE" });
        const both = yield* remove;
        assert.deepStrictEqual([both.status, both.body.error.code], [409, "media_in_use"]);
        assert.isUndefined(both.body.error.fields);
        assert.include(both.body.error.message, one);
        assert.include(both.body.error.message, two);
        yield* world.sandbox(`${path}/${one}`, { method: "PATCH", body: message() });
        assert.notInclude((yield* remove).body.error.message, one);
        yield* world.sandbox(`${path}/${two}`, { method: "DELETE" });
        assert.deepStrictEqual((yield* remove).body, { data: { id, deleted: true } });
        assert.strictEqual((yield* remove).status, 404);
        assert.strictEqual((yield* world.sandbox(`/media/${id}`)).status, 404);
        assert.strictEqual((yield* Effect.promise(() => fetch(url))).status, 404);
      }),
  );

  it.effect(
    "when a file is deleted while a notification starts to show it, one request fails (media.in_use)",
    () =>
      Effect.gen(function* () {
        const world = yield* mediaWorld();
        const path = yield* world.geo();
        for (let round = 0; round < 5; round++) {
          const { id } = yield* world.file();
          const [put, gone] = yield* Effect.all(
            [
              world.sandbox(path, { body: message({ media_asset_id: id }) }),
              world.sandbox(`/media/${id}`, { method: "DELETE" }),
            ],
            { concurrency: "unbounded" },
          );
          assert.include(["201 409", "422 200"], `${put.status} ${gone.status}`);
        }
      }),
  );
});

layer(TestWaypost.layer)("GET /media", (it) => {
  it.effect(
    "media are listed newest first, with a filter that binds the cursor (D1, D2, D4.2, media.list)",
    () =>
      Effect.gen(function* () {
        const { file, production, sandbox } = yield* mediaWorld();
        const made: Array<{ id: string; type: string }> = [];
        for (const content of ["image", "video", "image", "audio", "image"])
          made.unshift(yield* file({ content }));
        const ids = (files: typeof made) => files.map(({ id }) => id);
        const first = yield* sandbox("/media?limit=2&type=image");
        const images = made.filter(({ type }) => type === "image");
        assert.deepStrictEqual(ids(first.body.data), ids(images.slice(0, 2)));
        const cursor = first.body.meta.next_cursor;
        const rest = yield* sandbox(`/media?limit=50&type=image&cursor=${cursor}`);
        assert.deepStrictEqual(ids(rest.body.data), ids(images.slice(2)));
        assert.isNull(rest.body.meta.next_cursor);
        for (const elsewhere of [
          sandbox(`/media?cursor=${cursor}`),
          sandbox(`/media?type=video&cursor=${cursor}`),
          production(`/media?type=image&cursor=${cursor}`),
        ]) {
          assert.strictEqual((yield* elsewhere).body.error.code, "invalid_cursor");
        }
        assert.deepStrictEqual(ids((yield* sandbox("/media")).body.data), ids(made));
        const bad = yield* sandbox("/media?type=pdf&limit=0");
        assert.strictEqual(bad.body.error.code, "invalid_parameter");
        assert.deepStrictEqual(Object.keys(bad.body.error.fields).toSorted(), ["limit", "type"]);
      }),
  );
});
